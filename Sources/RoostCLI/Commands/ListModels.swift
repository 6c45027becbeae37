import ArgumentParser
import Roost

struct ListModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the installed models.",
        discussion: """
            Prints the dimension, maximum text length, pooling, speed and size of each model.

            Examples:
              roost model list
              roost model list --format csv
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
        let models = UserDirectories().models
        var documents: [ModelLibrary.Description] = []
        for name in models.names() + [ModelLibrary.lexicalName] {
            do {
                documents.append(try models.describe(name))
            } catch {
                Terminal.error("cannot open the model \(name): \(error)")
            }
        }
        var writer = ListWriter(output, Self.columns)
        try writer.write(
            documents.map { document in
                ListRow(
                    cells: [
                        Terminal.line(document.name), "\(document.space.dimension)",
                        document.maximumTokens.map { "\($0)" } ?? "no limit", "\(document.space.pooling)",
                        document.speed,
                        document.bytes > 0 ? "\((document.bytes + 500_000) / 1_000_000) MB" : "-",
                    ], document: document)
            })
        writer.finish(StoreOptions())
    }

    /// The minimum width of a terminal on which the pooling and the speed are shown.
    private static let minimumWidth = 60
    private static let isNarrow = Terminal.columns.map { $0 < minimumWidth } ?? false

    private static let columns = [
        TableColumn(name: "name", style: .bold, isFlexible: true),
        TableColumn(name: "dimensions", isNumber: true), TableColumn(name: "tokens", isNumber: true),
        TableColumn(name: "pooling", isFlexible: true, isDetail: isNarrow),
        TableColumn(name: "speed", isDetail: isNarrow), TableColumn(name: "size", isNumber: true),
    ]
}
