import ArgumentParser

/// The entry whose links are listed, and the form of the list.
struct LinkOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("An entry's id, or the beginning of its id.", valueName: "ID"))
    var id: String

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false
}
