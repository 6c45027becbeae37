import ArgumentParser

/// The entry whose links are listed, and the form of the list.
struct LinkOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("An entry's id, or the beginning of its id.", valueName: "ID"),
        completion: DynamicCompletion.entries)
    var id: String

    @OptionGroup var output: ListOutputOptions
}
