import ArgumentParser
import Synchronization

extension Terminal.ColorChoice: ExpressibleByArgument {}

/// The options of all commands that print a list or an entry, about the form in which a terminal shows it.
struct DisplayOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Style the output: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always or "
                + "never.",
            valueName: "when"))
    var color = Terminal.ColorChoice.auto

    func validate() throws {
        Terminal.colorChoice.withLock { $0 = color }
    }
}
