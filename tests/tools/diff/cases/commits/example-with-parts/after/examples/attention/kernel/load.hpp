struct Load {};
