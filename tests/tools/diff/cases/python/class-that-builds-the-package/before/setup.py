from setuptools import Command, setup


class Download(Command):
    def run(self):
        pass


setup(name="engine")
