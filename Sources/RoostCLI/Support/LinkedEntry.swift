import ArgumentParser

/// The entry whose links are listed.
struct LinkedEntry: ParsableArguments {
    @Argument(
        help: ArgumentHelp("An entry's id, or the beginning of its id.", valueName: "ID"),
        completion: DynamicCompletion.entries)
    var id: String
}
