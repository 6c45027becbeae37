import ArgumentParser

/// The query and document prefixes of models such as E5, whose folders do not specify them.
struct PrefixOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The prefix that the model expects before a query, such as 'query: '.", valueName: "TEXT"))
    var queryPrefix: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The prefix that the model expects before a document, such as 'passage: '.", valueName: "TEXT"))
    var documentPrefix: String?
}
