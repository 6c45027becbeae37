import ArgumentParser

/// The entry whose links are listed, or the file with the entries.
struct LinkedEntry: ParsableArguments {
    @Argument(
        help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"),
        completion: DynamicCompletion.entries)
    var id: String
}
