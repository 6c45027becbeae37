import ArgumentParser
import Roost
@main struct Main: ParsableCommand { }
