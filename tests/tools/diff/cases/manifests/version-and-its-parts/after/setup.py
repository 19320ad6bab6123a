from setuptools import setup

setup(name="engine", version="4.3.4")
