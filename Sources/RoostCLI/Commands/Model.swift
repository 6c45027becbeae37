import ArgumentParser
import Foundation
import Roost

struct Model: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "List, install and use embedding models.",
        discussion: """
            With the suffix :int8 (minilm:int8), a model computes with 8-bit numbers: about three times \
            as fast, with slightly different vectors. The suffix selects a separate embedding space; a \
            store keeps the embedding space that it was created with.

            Examples:
              roost model list
              roost model pull BAAI/bge-small-en-v1.5
              roost model use bge-small-en-v1.5
            """,
        subcommands: [
            ListModels.self, AddModel.self, PullModel.self, UseModel.self, RemoveModel.self, EmbedTexts.self,
        ])
}

struct ListModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the installed models.",
        discussion: """
            Prints the dimension, maximum text length, pooling and size of each model.

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
                        document.bytes > 0 ? "\((document.bytes + 500_000) / 1_000_000) MB" : "-",
                    ], document: document)
            })
        writer.finish(StoreOptions())
    }

    private static let columns = [
        TableColumn(name: "name", style: .bold, isFlexible: true),
        TableColumn(name: "dimensions", isNumber: true), TableColumn(name: "tokens", isNumber: true),
        TableColumn(name: "pooling", isFlexible: true),
        TableColumn(name: "size", isNumber: true),
    ]
}

struct AddModel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Install a model from a folder.",
        discussion: """
            The folder must have the layout of sentence-transformers (BERT and XLM-R models) or Model2Vec \
            (static models). Roost copies it.

            Examples:
              roost model add ~/Downloads/bge-small-en-v1.5
              roost model add e5 --query-prefix 'query: ' --document-prefix 'passage: '
            """)

    @Argument(help: ArgumentHelp("The model's folder.", valueName: "DIR"), completion: .directory)
    var directory: String

    @OptionGroup var prefixes: PrefixOptions

    func run() throws {
        let models = UserDirectories().models
        let name = try models.add(
            URL(fileURLWithPath: directory), queryPrefix: prefixes.queryPrefix,
            documentPrefix: prefixes.documentPrefix)
        Terminal.write(
            "installed \(name) in \(models.directory.path); use it with `roost init --model \(name)`")
    }
}

struct PullModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Download a model and install it.",
        discussion: """
            NAME is a repository of the Hugging Face hub, such as sentence-transformers/all-MiniLM-L6-v2, or \
            of another server with the same URL paths. An interrupted download resumes; each file is checked \
            against the checksum of the hub. For models that require a token, set $HF_TOKEN.

            Examples:
              roost model pull BAAI/bge-small-en-v1.5
              roost model pull intfloat/e5-small-v2 --query-prefix 'query: '
              roost model pull team/model --from https://hub.example --revision v2
            """)

    @Argument(help: ArgumentHelp("The repository of the model.", valueName: "NAME"))
    var name: String

    @Option(name: .long, help: "The URL of the hub. Default: $HF_ENDPOINT, else https://huggingface.co.")
    var from: String?

    @Option(name: .long, help: "The branch, tag or commit to download.")
    var revision = "main"

    @OptionGroup var prefixes: PrefixOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() async throws {
        var pull = try ModelPull(name, from: from)
        pull.revision = revision
        (pull.queryPrefix, pull.documentPrefix) = (prefixes.queryPrefix, prefixes.documentPrefix)
        let added = try await pull.run(isQuiet: quiet)
        if !quiet {
            Terminal.write(
                "installed \(added) in \(UserDirectories().models.directory.path); use it with "
                    + "`roost init --model \(added)`")
        }
    }
}

struct RemoveModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an installed model.",
        discussion: """
            Stores that use the model can still be read, exported and searched by words (`roost query --mode \
            text`), but not searched by meaning, and no texts can be added. If the current store uses the \
            model, Roost asks for confirmation.

            Examples:
              roost model remove bge-small-en-v1.5
              roost model remove fast
            """)

    @Argument(
        help: ArgumentHelp("The model's name, as in `roost model list`.", valueName: "MODEL"))
    var name: String

    @OptionGroup var options: StoreOptions

    @Flag(name: .shortAndLong, help: "Skip the confirmation if the store uses the model.")
    var yes = false

    func run() async throws {
        guard try isPermitted() else {
            options.note("nothing was removed")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let removed = try UserDirectories().models.remove(name)
        Terminal.write("removed \(removed)")
    }

    /// Returns whether the model may be removed, although the current store may use it.
    private func isPermitted() throws -> Bool {
        let location = try options.location()
        guard !yes, let manifest = try? StoreManifest.read(in: location) else { return true }
        let name = ModelLibrary.aliases[name.lowercased()] ?? name
        guard manifest.space.model == name, UserDirectories().models.names().contains(name) else {
            return true
        }
        guard Confirmation.isPossible else {
            throw CommandError(
                .usage,
                "cannot remove the model \(name) without confirmation: the store in \(location.path) uses "
                    + "it; use --yes to remove it")
        }
        return try Confirmation.ask("the store in \(location.path) uses the model; remove \(name)?")
    }
}

struct UseModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Move the store to another model by embedding all texts again.",
        discussion: """
            You can search and change the store while the new vectors are computed. Roost then creates a \
            backup and replaces all vectors in one commit. To continue an interrupted move, run the same \
            command again; to abandon it, name the current model. Clusters keep their labels and members; \
            run `roost recluster` to cluster by the new vectors.

            Examples:
              roost model use minilm
              roost model use remote:nomic-embed-text
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(
        help: ArgumentHelp(
            "The new model: an installed model, a model folder, remote:NAME, or lexical.", valueName: "NAME"))
    var model: String

    @Flag(name: .long, help: "Do not create a backup before the vectors are replaced.")
    var noBackup = false

    func run() async throws {
        let location = try options.location()
        guard try options.hasStore() else {
            throw RoostError(
                .noStore, "cannot open a store in \(location.path): not found; create one with `roost init`")
        }
        var notes: [String] = []
        let embedder = try await EmbedderChoice.openForStore(model, &notes)
        for text in notes { options.note(text) }
        var reembedding = ModelMigration(of: location, to: embedder)
        reembedding.makesBackup = !noBackup
        reembedding.backups = try BackupOptions.ownSettings()
        let progress = Progress(isQuiet: options.quiet)
        let migration = reembedding
        let report = try await progress.untilStopped(
            "stopped: the store is unchanged; run the same command again to continue"
        ) { try await migration.run { progress.update($0.done, of: $0.total) } }
        if report.isMoved {
            // The move to another model started a new epoch, so the old index can no longer be used.
            let store = try await options.open(recordingUndo: false)
            await options.refreshIndex(of: store)
            try await store.close()
        }
        if output.json { return try Terminal.json(report) }
        guard report.isMoved else {
            return Terminal.write("the store already uses \(report.to)")
        }
        Terminal.write("embedded \(Count.text(report.entries, "entry", "entries")) with \(report.to)")
        if report.omittedTokens > 0 {
            options.note(
                "omitted "
                    + Count.text(report.omittedTokens, "token that exceeds", "tokens that exceed")
                    + " the model's maximum length")
        }
        if let backup = report.backup {
            options.note(
                "the previous state is in a backup: `roost backup restore \(backup.prefix(8)) --into DIR`")
        }
        if report.hasClusters {
            options.note(
                "the clusters are unchanged; run `roost recluster` to cluster by the new vectors")
        }
    }
}

struct EmbedTexts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed", abstract: "Print the vectors of texts.",
        discussion: """
            Without TEXT, reads one text per line from standard input. Prints one JSON object per text.

            Examples:
              roost model embed "a swift above the roof"
              roost model embed < lines.txt > vectors.jsonl
            """)

    @Argument(help: ArgumentHelp("The texts.", valueName: "TEXT"))
    var texts: [String] = []

    @Option(name: .long, help: "An installed model, a model folder, lexical, or remote:NAME.")
    var model: String?

    private struct Document: Encodable {
        var text: String
        var embedding: [Float]
    }

    func run() async throws {
        let texts = try texts.isEmpty ? lines() : texts
        let settings = try UserConfiguration()
        let embedder = try await EmbedderChoice.open(model ?? settings.value(of: "model") ?? "minilm")
        let result = try await embedder.checkedEmbeddings(texts, as: .document)
        let encoder = Terminal.lineEncoder
        for (index, text) in texts.enumerated() {
            try Terminal.json(Document(text: text, embedding: result.vectors.row(index)), encoder)
        }
        let truncated = result.omittedTokens.count { $0 > 0 }
        if truncated > 0 { Terminal.error("truncated \(Count.text(truncated, "text"))") }
    }

    private func lines() throws -> [String] {
        RecordReader.lines(try RecordReader.text(StandardInput.readToEnd(), name: "standard input"))
            .map(\.content)
    }
}
