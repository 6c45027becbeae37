import ArgumentParser
import Foundation
import Roost
import RoostChunks
import RoostFiles
import RoostServer

struct StoreOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("The store's folder.", valueName: "DIR"), completion: .directory)
    var store: String?

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details: the store, the model and the duration.")
    var verbose = false

    @OptionGroup var display: DisplayOptions

    /// Prints a message on standard error, unless `--quiet` is given.
    func note(_ text: @autoclosure () -> String) {
        if !quiet { Terminal.error(text()) }
    }

    /// The message of commands that find no clusters.
    static let noClusters = "the store has no clusters yet; run `roost recluster` to create them"

    func detail(_ text: @autoclosure () -> String) {
        if verbose { Terminal.error(text()) }
    }

    /// Updates the index if enough entries have changed. The index can always be rebuilt from the store, so
    /// a failure is reported but does not end the command.
    func refreshIndex(of store: KnowledgeStore) async {
        do {
            switch try await store.index.refresh() {
            case .current: break
            case .written: detail("updated the index")
            case .writtenWithoutGraph(let passages):
                note(
                    "the index of \(passages) passages has no graph; run `roost index` for faster "
                        + "searches")
            case .due(let changes):
                note(
                    "\(Count.text(changes, "entry has", "entries have")) changed since the index was built; "
                        + "run `roost index` to update it")
            }
        } catch {
            note("cannot update the index: \(error); searches are slower without it")
        }
    }

    /// Builds the index if a search had to read the whole store, so that the next one need not, and closes the store.
    func closeAfterSearch(_ store: KnowledgeStore) async throws {
        if !store.isReadOnly, await store.index.wasMissed { await refreshIndex(of: store) }
        try await store.close()
    }

    /// Creates a backup before a command that changes a large part of the store.
    func backUpFirst() async throws {
        let backup = StoreBackup(try location(), try BackupOptions.ownSettings())
        let report = try await backup.createAutomatically()
        note(
            "created the backup \(report.snapshot.id.prefix(8)) in "
                + "\(Terminal.line(backup.ownRepository.path)) first; see `roost backup list`")
        if let failure = report.retentionFailure {
            note("cannot remove old automatic backups: \(failure)")
        }
    }

    func location() throws -> URL {
        let directories = UserDirectories()
        if let store { return URL(fileURLWithPath: store) }
        if let named = directories.environmentStore { return named }
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        return try StoreManifest.findUpward(from: here) ?? directories.defaultStore
    }

    /// Opens the store. If its model is not installed, an ``AbsentEmbedder`` takes the model's place.
    func open(recordingUndo: Bool = true) async throws -> KnowledgeStore {
        let location = try location()
        detail("store: \(location.path)")
        var store = try await KnowledgeStore.open(
            at: location, recording: recordingUndo ? recorder(location) : nil
        ) { space in
            do {
                return try EmbedderChoice.open(for: space)
            } catch {
                // Commands that embed nothing work without the model.
                return AbsentEmbedder(space: space, reason: error)
            }
        }
        store.settings.searchPlace = try UserConfiguration()
            .value(of: "search-in").flatMap { SearchPlace(rawValue: $0) }
        store.settings.converters = try UserConfiguration().converters()
        detail("model: \(store.embedder.space)")
        if store.isReadOnly {
            note("the store in \(location.path) is read-only; commands that change it fail")
        }
        return store
    }

    func run<Output: Decodable>(
        _ operation: String, _ input: [String: JSONValue], _ store: KnowledgeStore
    ) async throws -> Output {
        try await Operations(StoreHandle { store }, version: VersionText.number).output(of: operation, input)
    }

    func run<Output: Codable>(
        _ operation: String, _ input: [String: JSONValue], asJSON isJSON: Bool, show: (Output) -> Void
    ) async throws {
        let store = try await open()
        let output: Output = try await run(operation, input, store)
        try await store.close()
        if isJSON { try Terminal.json(output) } else { show(output) }
    }

    private func recorder(_ location: URL) -> UndoRecorder {
        UndoRecorder(
            directory: location,
            command: RoostCommand.requestedNames.joined(separator: " "),
            onFailure: { Terminal.error("roost: \($0)") })
    }

    func hasStore() throws -> Bool { StoreManifest.exists(in: try location()) }

    /// Opens the store for a dry run. If the store does not exist, an empty store in memory takes its place.
    func openOrSimulate() async throws -> KnowledgeStore {
        if try hasStore() { return try await open() }
        return KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    /// Opens the store, or creates it.
    ///
    /// - Parameter downloadsModel: Whether to download the default model, if no model is installed, without a
    ///   question.
    func openOrCreate(downloadsModel: Bool = false) async throws -> KnowledgeStore {
        let location = try location()
        if StoreManifest.exists(in: location) { return try await open() }
        let made: KnowledgeStore
        do {
            made = try await create(
                location, provider: nil, model: nil, downloadsModel: downloadsModel)
        } catch let error as RoostError where error.code == .storeExists {
            return try await open()  // another process created the store in the meantime
        }
        note("created a store in \(location.path) (\(made.embedder.space.selectableName))")
        return made
    }

    func create(
        _ location: URL, provider: String?, model: String?, maximumSize: Int? = nil,
        downloadsModel: Bool = false
    ) async throws -> KnowledgeStore {
        guard !StoreManifest.exists(in: location) else {
            // A folder that cannot be searched counts as a store, because it may contain one.
            if FileStatus(location.path + "/.") == nil, errno == EACCES {
                throw CommandError(
                    .cannotCreate, "cannot create a store in \(location.path): permission denied")
            }
            throw RoostError(
                .storeExists, "cannot create a store in \(location.path): a store already exists there")
        }
        let settings = try UserConfiguration()
        let providerName = try provider ?? settings.value(of: "provider") ?? "sqlite"
        let provider = try Self.providerInFolder(providerName)
        var notes: [String] = []
        let embedder = try await embedder(model, downloadsModel: downloadsModel, &notes)
        do {
            let made = try await KnowledgeStore.create(
                at: location, provider: provider, embedder: embedder, maximumSize: maximumSize,
                recording: recorder(location))
            for text in notes { note(text) }
            return made
        } catch let error as StorageError
            where error.code == .inputOutput || error.underlying is FileError
        {
            throw CommandError(.cannotCreate, RemedyText.message(error.message, error.remedy))
        }
    }

    func embedder(
        _ model: String?, downloadsModel: Bool = false, _ notes: inout [String]
    ) async throws -> any Embedder {
        let directories = UserDirectories()
        let settings = try UserConfiguration(directories.configurationFile)
        if let name = try model ?? settings.value(of: "model") {
            return try await EmbedderChoice.openForStore(name, &notes)
        }
        return try await standardEmbedder(directories.models, downloadsModel, &notes)
    }

    /// Returns the storage format with a name, except that of a server.
    static func providerInFolder(_ name: String) throws -> StoreManifest.Provider {
        guard let provider = StoreManifest.Provider(rawValue: name) else {
            throw CommandError.unknownProvider(name)
        }
        guard provider != .postgres else {
            throw CommandError(
                .usage,
                "only `roost init --provider postgres` creates a store in PostgreSQL; to copy a store "
                    + "there, use `roost copy`")
        }
        return provider
    }

    /// Returns MiniLM if it is installed or downloaded, else the lexical embedder with a note.
    private func standardEmbedder(
        _ models: ModelLibrary, _ downloadsModel: Bool, _ notes: inout [String]
    ) async throws -> any Embedder {
        if models.names().contains(ModelLibrary.aliases["minilm"] ?? "") { return try models.open("minilm") }
        let pull = try ModelPull()
        let download = "all-MiniLM-L6-v2 (\(ModelPull.standardSize) MB) from \(pull.host)"
        let question =
            "no embedding model is installed, so texts would be compared by their words, not their meaning; "
            + "download \(download)?"
        guard try downloadsModel || (Confirmation.isPossible && Confirmation.ask(question)) else {
            notes.append(
                "no embedding model is installed, so texts are compared by their words, not their meaning "
                    + "(lexical). To install a model with the first texts, use `roost ingest --yes`; for this "
                    + "store, run `roost model pull \(ModelPull.standardName)`, then `roost model use minilm`."
            )
            return LexicalEmbedder()
        }
        note("downloading \(download)")
        do {
            return try models.open(await pull.run(isQuiet: quiet))
        } catch let error as EmbedderError {
            throw EmbedderError(
                error.code, error.message + "; to compare texts by their words instead, omit the download")
        }
    }
}

extension StoreOptions {
    func syncedFolder(_ path: String, in store: KnowledgeStore) throws -> SyncedFolder {
        let folder = SyncedFolder(URL(fileURLWithPath: path))
        if let found = try store.folders.all().first(where: { $0.path == folder.path }) { return found }
        throw RoostError(
            .notFound,
            "the store does not remember the folder \(Terminal.line(folder.path)); `roost folder list` lists "
                + "the folders")
    }

    /// Returns the remembered folders of a store.
    ///
    /// A store that was found by walking upward may come from another person, for example with a cloned
    /// repository. Its list could name folders with private files.
    func trustedFolders(of opened: KnowledgeStore) throws -> [SyncedFolder] {
        let folders = try opened.folders.all()
        guard !folders.isEmpty else {
            throw RoostError(
                .noInput, "the store remembers no folders; `roost ingest PATH` remembers one")
        }
        try requireTrust(in: folders)
        return folders
    }

    /// Checks the remembered folders of a store that was found by walking upward.
    func requireTrust(in folders: [SyncedFolder]) throws {
        guard store == nil, UserDirectories().environmentStore == nil else { return }
        let location = try location()
        guard location.lastPathComponent == ".roost" else { return }
        let above = SyncedFolder(location.deletingLastPathComponent()).path
        let prefix = above == "/" ? above : above + "/"
        for folder in folders {
            // The stored path may contain `..`, or links that came with a repository.
            let path = SyncedFolder(URL(fileURLWithPath: folder.path)).path
            guard folder.followsLinks || (path != above && !path.hasPrefix(prefix)) else { continue }
            let reason = folder.followsLinks ? "follows links" : "names a folder outside of it"
            throw CommandError(
                .configuration,
                "refused to read \(Terminal.line(folder.path)): the store in \(Terminal.line(location.path)) "
                    + "was found in a parent folder, and \(reason); if you trust this store, name it with "
                    + "--store")
        }
    }
}

extension StoreOptions {
    /// Runs an import with a display of its progress, then updates the index and closes the store.
    func runImport<Report>(
        into store: KnowledgeStore, unit: String,
        _ work: (_ progress: @escaping @Sendable (Int, Int) -> Void) async throws -> Report
    ) async throws -> Report {
        let progress = Progress(isQuiet: quiet, unit: unit)
        let report = try await progress.untilStopped(
            "stopped: \(progress.done) \(unit) are in the store; run the same command again to continue"
        ) { try await work { progress.update($0, of: $1) } }
        await refreshIndex(of: store)
        try await store.close()
        return report
    }
}
