import ArgumentParser
import Foundation
import Roost
import RoostRemote

struct Model: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at, add, make and remove embedding models.",
        discussion: """
            A model's name may end in :int8 (minilm:int8): its layers then compute in 8 bits, about three \
            times as fast and nearly as exact. That is a space of its own: a store keeps to what it was \
            made with.
            """,
        subcommands: [ListModels.self, AddModel.self, PullModel.self, DistillModel.self, RemoveModel.self])
}

struct ListModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the installed models.")

    @Flag(name: .long, help: "As JSON.")
    var json = false

    func run() throws {
        let models = UserPlaces().models
        var documents: [ModelLibrary.Description] = []
        for name in models.names() + [ModelLibrary.lexicalName] {
            do {
                documents.append(try models.describe(name))
            } catch {
                Terminal.error("\(name) cannot be used: \(error)")
            }
        }
        if json { return try Terminal.json(documents) }
        for document in documents {
            let size = document.bytes > 0 ? ", \((document.bytes + 500_000) / 1_000_000) MB" : ""
            Terminal.write(
                "\(Terminal.bold(document.name))  \(document.space.dimension) dimensions, "
                    + "\(document.maximumTokens.map { "\($0) tokens" } ?? "no limit"), "
                    + "\(document.space.pooling), \(document.speed)\(size)")
        }
    }
}

struct AddModel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Install a model from a folder in the layout of sentence-transformers or Model2Vec.")

    @Argument(help: ArgumentHelp("The folder.", valueName: "DIR"))
    var directory: String

    @OptionGroup var prefixes: PrefixOptions

    func run() throws {
        let models = UserPlaces().models
        let name = try models.add(
            URL(fileURLWithPath: directory), queryPrefix: prefixes.queryPrefix,
            documentPrefix: prefixes.documentPrefix)
        Terminal.write("\(name) is in \(models.directory.path); `roost init --model \(name)` uses it")
    }
}

/// For models such as E5, whose folders do not say what they were trained to see.
struct PrefixOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("What the model wants before questions, such as 'query: '.", valueName: "TEXT"))
    var queryPrefix: String?

    @Option(
        name: .long,
        help: ArgumentHelp("What the model wants before documents, such as 'passage: '.", valueName: "TEXT"))
    var documentPrefix: String?
}

struct PullModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Fetch a model from a hub and install it.",
        discussion: """
            NAME is a repository of Hugging Face's hub, such as sentence-transformers/all-MiniLM-L6-v2, or \
            of another server with the same paths. What was begun goes on where it was; a file is kept \
            only with the checksum that the hub states. A token for models that want one is read from \
            $HF_TOKEN.
            """)

    @Argument(help: ArgumentHelp("The repository.", valueName: "NAME"))
    var name: String

    @Option(name: .long, help: "The hub's address; else $HF_ENDPOINT, else https://huggingface.co.")
    var from: String?

    @Option(name: .long, help: "A branch, a tag or a commit.")
    var revision = "main"

    @OptionGroup var prefixes: PrefixOptions

    @Flag(name: .shortAndLong, help: "Only errors.")
    var quiet = false

    func run() async throws {
        guard ModelHub.isName(name) else {
            throw CommandError(.usage, "'\(Terminal.line(name, limit: 80))' is no name of a model on a hub")
        }
        let environment = ProcessInfo.processInfo.environment
        func given(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        let hub = try ModelHub(
            address: from ?? given("HF_ENDPOINT") ?? ModelHub.defaultAddress,
            token: given("HF_TOKEN").flatMap { Secret($0) }, environment: environment)
        let models = UserPlaces().models
        // Beside the models, where what was begun is found again; the last part is the model's name.
        let staging = models.directory.appendingPathComponent(".pull/\(name)")
        let progress = Progress(isQuiet: quiet, unit: "kB")
        try await hub.fetch(name, revision: revision, files: ModelFolder.files, into: staging) {
            done, total in
            progress.update(done / 1000, fraction: total > 0 ? Double(done) / Double(total) : 0)
        }
        progress.finish()
        let added = try models.add(
            staging, queryPrefix: prefixes.queryPrefix, documentPrefix: prefixes.documentPrefix)
        try? FileManager.default.removeItem(at: staging)
        if !quiet {
            Terminal.write("\(added) is in \(models.directory.path); `roost init --model \(added)` uses it")
        }
    }
}

struct RemoveModel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an installed model.",
        discussion: "A store that was made with it can still be read and exported, but not queried by text.")

    @Argument(help: ArgumentHelp("Its name, as `roost model list` shows it.", valueName: "MODEL"))
    var name: String

    func run() throws {
        let removed = try UserPlaces().models.remove(name)
        Terminal.write("removed \(removed)")
    }
}

struct DistillModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distill", abstract: "Make a static model of an installed one.",
        discussion: """
            A static model has one vector for each token, whatever stands beside it: some hundred times as \
            fast as the model that it is made from, and coarser. No texts are needed; it takes seconds to \
            a minute.
            """)

    @Argument(help: ArgumentHelp("An installed model, or a model's folder.", valueName: "MODEL"))
    var model: String

    @Option(
        name: .long, help: ArgumentHelp("The new model's folder; nothing may be there.", valueName: "DIR"))
    var out: String

    @Option(name: .long, help: "How many numbers a vector has.")
    var dimension = 256

    @Flag(name: .long, help: "Keep the vectors in 8 bits: a quarter of the size.")
    var int8 = false

    @Flag(name: .shortAndLong, help: "Only errors.")
    var quiet = false

    func run() async throws {
        guard (1...4096).contains(dimension) else {
            throw CommandError(.usage, "--dimension takes a number from 1 to 4096, not \(dimension)")
        }
        let parent = try await EmbedderChoice.open(model)
        guard let parent = parent as? BERTEmbedder else {
            throw CommandError(
                .usage, "\(Terminal.line(model, limit: 60)) has no layers to distill; name a BERT model")
        }
        let target = URL(fileURLWithPath: out)
        let progress = Progress(isQuiet: quiet, unit: "tokens")
        try await StaticEmbedder.distill(
            parent, into: target, dimension: dimension, precision: int8 ? .int8 : .float32
        ) { progress.update($0, fraction: Double($0) / Double($1)) }
        progress.finish()
        let made = try StaticEmbedder(folder: target)
        if !quiet {
            Terminal.write(
                "\(target.path) has \(made.space.dimension) dimensions; "
                    + "`roost model add \(target.path)` installs it"
            )
        }
    }
}
