import ArgumentParser
import Foundation
import Roost

struct Initialize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create a store.",
        discussion: """
            Without DIR, --store or $ROOST_STORE, the store is the folder .roost in the current folder. \
            Roost finds it when you run a command in the current folder or in any folder below it. DIR must \
            be new or empty.

            Examples:
              roost init
              roost init ~/notes-store --provider json
              roost init --model minilm:int8 --max-size 2GB
              roost init --provider postgres --url postgresql://ann@db.example.org/notes --name team
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: "The storage: sqlite, json or postgres. Default: the provider setting, or sqlite.")
    var provider: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The PostgreSQL server and database. Default: the postgres-url setting, or the environment "
                + "(PGHOST, PGSERVICE, ...). Passwords are taken from PGPASSWORD or ~/.pgpass.",
            valueName: "URL"))
    var url: String?

    @Option(
        name: .long,
        help: "The name of the store in the PostgreSQL database, which can contain several. Default: roost.")
    var name: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The embedding model: minilm, lexical, an installed model, a model folder, or remote:NAME. "
                + "Default: the model setting, else minilm if it is installed, else lexical."))
    var model: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The maximum size of the store, such as 500MB or 2GB, or none for no limit.", valueName: "SIZE"))
    var maxSize: String?

    @Argument(
        help: ArgumentHelp("The store's folder. Default: .roost.", valueName: "DIR"), completion: .directory)
    var directory: String?

    func run() async throws {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let location =
            (directory ?? options.store).map { URL(fileURLWithPath: $0) }
            ?? UserDirectories().environmentStore ?? here.appendingPathComponent(".roost")
        guard !StoreManifest.hasOtherFiles(in: location) else {
            let example =
                location.lastPathComponent == ".roost"
                ? "" : ", such as \(location.appendingPathComponent(".roost").path)"
            throw RoostError(
                .configuration,
                "cannot create a store in \(location.path): the folder contains other files; name a new or "
                    + "empty folder" + example)
        }
        let limit = try maxSize.flatMap { try ByteCount.parse($0, option: "--max-size") }
        if provider == StoreManifest.Provider.postgres.rawValue {
            try await PostgresInitialization(options: options, url: url, name: name, model: model)
                .run(location, hasSizeLimit: limit != nil)
        } else {
            guard url == nil, name == nil else {
                throw CommandError(.usage, "--url and --name need --provider postgres")
            }
            let store = try await options.create(
                location, provider: provider, model: model, maximumSize: limit)
            try await store.close()
            options.note("created a store in \(location.path) (\(store.embedder.space.selectableName))")
        }
    }
}

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store, also to another kind of storage.",
        discussion: """
            Keeps ids, dates, vectors, source records, clusters and original files. After the copy, the \
            command compares everything except the original files. Revisions are not kept. The target must \
            be empty or contain a part of the same copy; if it does not exist, a folder is created. To copy \
            to PostgreSQL, first create the target with `roost init --provider postgres` and the same model. \
            To continue an interrupted copy, run the same command again.

            Examples:
              roost copy ~/notes-store ~/team-store
              roost copy ~/team-store ~/notes-local --provider sqlite
            """)

    @OptionGroup var options: StoreOptions

    @Option(name: .long, help: "The storage format of a new target: sqlite or json. Default: sqlite.")
    var provider: String?

    @Argument(
        help: ArgumentHelp("The folder of the store to copy.", valueName: "FROM"), completion: .directory)
    var from: String

    @Argument(help: ArgumentHelp("The folder of the target.", valueName: "TO"), completion: .directory)
    var to: String

    func validate() throws {
        guard options.store == nil else {
            throw ValidationError("name both folders as arguments, without --store")
        }
    }

    func run() async throws {
        let (from, to) = (URL(fileURLWithPath: from), URL(fileURLWithPath: to))
        guard from.resolvingSymlinksInPath() != to.resolvingSymlinksInPath() else {
            throw CommandError(.usage, "cannot copy a store to itself; name another folder")
        }
        let source = try await open(from)
        let target = try await openTarget(to, like: source)
        let progress = Progress(isQuiet: options.quiet)
        let report = try await progress.untilStopped("stopped; run the same command again to continue") {
            try await StoreCopy(from: source, to: target).run { progress.update($0, of: $1) }
        }
        try await source.close()
        try await target.close()
        Terminal.write(
            "copied \(Count.text(report.entries, "entry", "entries")), "
                + "\(Count.text(report.sources, "source")) and "
                + "\(Count.text(report.clusters, "cluster")) to \(to.path)")
    }

    private func open(_ folder: URL) async throws -> KnowledgeStore {
        var options = options
        options.store = folder.path
        return try await options.open(recordingUndo: false)
    }

    private func openTarget(_ folder: URL, like source: KnowledgeStore) async throws -> KnowledgeStore {
        let provider = try StoreOptions.providerInFolder(provider ?? "sqlite")
        if StoreManifest.exists(in: folder) { return try await open(folder) }
        guard !StoreManifest.hasOtherFiles(in: folder) else {
            throw RoostError(
                .configuration,
                "cannot create a store in \(folder.path): the folder contains other files; name a new or "
                    + "empty folder")
        }
        let target = try await KnowledgeStore.create(
            at: folder, provider: provider, embedder: source.embedder)
        options.note("created a store in \(folder.path) (\(target.embedder.space.model))")
        return target
    }
}
