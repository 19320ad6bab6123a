from setuptools import setup

setup(name="engine")
