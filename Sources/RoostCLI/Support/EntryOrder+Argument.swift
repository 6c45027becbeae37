public import ArgumentParser
public import Roost

/// The values of `roost list --sort`.
extension EntryOrder: ExpressibleByArgument {}
