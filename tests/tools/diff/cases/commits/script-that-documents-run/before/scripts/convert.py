print("converted")
