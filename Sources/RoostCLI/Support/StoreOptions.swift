import ArgumentParser
import Foundation
import Roost

/// Options that every verb has, and how they lead to a store.
struct StoreOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The store's folder.", valueName: "DIR"))
    var store: String?

    @Flag(name: .shortAndLong, help: "Only results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more: which store and model, how long it took.")
    var verbose = false

    func note(_ text: @autoclosure () -> String) {
        if !quiet { Terminal.error(text()) }
    }

    func detail(_ text: @autoclosure () -> String) {
        if verbose { Terminal.error(text()) }
    }

    /// Writes the index anew where that is worth it. What it is made of is in the store, so that a failure is
    /// only said.
    func refreshIndex(of store: KnowledgeStore) async {
        do {
            switch try await store.refreshIndex() {
            case .current: break
            case .written: detail("the index was written anew")
            case .writtenWithoutGraph(let passages):
                note("\(passages) passages are compared one by one; `roost index build` adds a graph")
            case .due(let changes):
                note(
                    "\(changes) entries have changed since the index was built; `roost index build` "
                        + "writes it anew")
            }
        } catch {
            note("the index was not written anew (\(error)); searches take longer without it")
        }
    }

    /// Makes a snapshot before much of the store is rewritten.
    func backUpFirst() async throws {
        guard
            let report = try await StoreBackup(try location())
                .createAutomatically(passphrase: BackupOptions.passphraseOfEnvironment())
        else { return }
        note("a backup was made first: `roost backup list` shows it (\(report.snapshot.id.prefix(8)))")
    }

    /// Says what happened while texts were embedded.
    func remark(on embedder: any Embedder) {
        let remarks = EmbedderChoice.remarks(on: embedder)
        for text in remarks.notes { note(text) }
        for text in remarks.details { detail(text) }
    }

    /// The folder of the store, whether there is one or not.
    func location() throws -> URL {
        let places = UserPlaces()
        if let store { return URL(fileURLWithPath: store) }
        if let named = places.environmentStore { return named }
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        return try StoreManifest.findUpward(from: here) ?? places.defaultStore
    }

    /// - Parameter recordingUndo: whether what is changed is written down for `roost undo`.
    func open(recordingUndo: Bool = true) async throws -> KnowledgeStore {
        let location = try location()
        detail("store: \(location.path)")
        let store = try await KnowledgeStore.open(
            in: location, recording: recordingUndo ? recorder(location) : nil
        ) { space in
            do {
                return try EmbedderChoice.open(for: space)
            } catch {
                // What needs no embedding can be done all the same.
                return AbsentEmbedder(space: space, reason: error)
            }
        }
        detail("model: \(store.embedder.space)")
        return store
    }

    private func recorder(_ location: URL) -> UndoRecorder {
        UndoRecorder(
            directory: location, command: CommandLine.arguments.dropFirst().first { !$0.hasPrefix("-") } ?? ""
        )
    }

    func hasStore() throws -> Bool { StoreManifest.exists(in: try location()) }

    /// The store, or an empty one in memory where there is none: for looking at what would be done.
    func openOrPretend() async throws -> KnowledgeStore {
        if try hasStore() { return try await open() }
        return KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    /// The store, made if there is none.
    func openOrCreate() async throws -> KnowledgeStore {
        let location = try location()
        if StoreManifest.exists(in: location) { return try await open() }
        let made: KnowledgeStore
        do {
            made = try await create(location, provider: nil, model: nil)
        } catch let error as RoostError where error.code == .storeExists {
            return try await open()  // Another process was quicker.
        }
        note("made a store in \(location.path) (\(made.embedder.space.model))")
        return made
    }

    func create(
        _ location: URL, provider: String?, model: String?, maximumSize: Int? = nil
    ) async throws -> KnowledgeStore {
        guard !StoreManifest.exists(in: location) else {
            throw RoostError(.storeExists, "there is a store in \(location.path) already")
        }
        let places = UserPlaces()
        let settings = try UserConfiguration(places.configurationFile)
        let providerName = try provider ?? settings.value(of: "provider") ?? "sqlite"
        guard let provider = StoreManifest.Provider(rawValue: providerName) else {
            throw CommandError(.usage, "there is no provider '\(providerName)'; there are sqlite and json")
        }
        var notes: [String] = []
        let embedder: any Embedder
        if let name = try model ?? settings.value(of: "model") {
            embedder = try await EmbedderChoice.openForStore(name, &notes)
        } else {
            embedder = try standardEmbedder(places.models, &notes)
        }
        do {
            let made = try await KnowledgeStore.create(
                in: location, provider: provider, embedder: embedder, maximumSize: maximumSize,
                recording: recorder(location))
            for text in notes { note(text) }
            return made
        } catch let error as StorageError where error.code == .inputOutput {
            throw CommandError(.cannotCreate, error.message)
        }
    }

    /// MiniLM where it is installed, else the lexical embedder, which is said.
    private func standardEmbedder(_ models: ModelLibrary, _ notes: inout [String]) throws -> any Embedder {
        if models.names().contains(ModelLibrary.aliases["minilm"] ?? "") { return try models.open("minilm") }
        notes.append(
            "no embedding model is installed: texts are compared by their words, not their meaning "
                + "(lexical). Scripts/model installs one, and `roost reembed --model minilm` moves the store "
                + "to it.")
        return LexicalEmbedder()
    }

    /// The entry that an id, or the unique beginning of one, names.
    func entryID(_ text: String, _ store: KnowledgeStore) async throws -> Entry.ID {
        if let id = UUID(uuidString: text) { return id }
        let digits = text.lowercased()
        guard digits.count >= 4, digits.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            throw CommandError(
                .usage, "'\(Terminal.line(text, limit: 40))' is no id; ids are printed by `roost list`")
        }
        let page = try await store.storage.snapshot()
            .entries(after: nil, limit: 2, matching: EntryFilter(idPrefix: digits))
        guard let first = page.entries.first else {
            throw RoostError(.notFound, "there is no entry \(digits)")
        }
        guard page.entries.count == 1 else {
            throw CommandError(.usage, "\(digits) is the beginning of several ids; give more of it")
        }
        return first.id
    }

    /// The cluster that an id, the beginning of one, or a label names.
    func cluster(_ text: String, _ store: KnowledgeStore) async throws -> Cluster {
        let clusters = try await store.storage.fetchClusters()
        guard !clusters.isEmpty else {
            throw RoostError(.emptyStore, "the store has no clusters yet; `roost recluster` makes them")
        }
        let named = clusters.filter { $0.label == text }
        let found = named.isEmpty ? clusters.filter { $0.id.text.hasPrefix(text.lowercased()) } : named
        guard let first = found.first, !text.isEmpty else {
            throw RoostError(
                .notFound,
                "there is no cluster '\(Terminal.line(text, limit: 40))'; `roost cluster list` shows them")
        }
        guard found.count == 1 else {
            throw CommandError(
                .usage, "'\(Terminal.line(text, limit: 40))' names several clusters; give more of the id")
        }
        return first
    }
}

/// Which entries are meant.
enum KeyValue {
    static func parse(_ pairs: [String], option: String) throws -> [(key: String, value: String)] {
        try pairs.map { pair in
            guard let separator = pair.firstIndex(of: "="), separator != pair.startIndex else {
                throw CommandError(
                    .usage, "\(option) takes key=value, not '\(Terminal.line(pair, limit: 60))'")
            }
            return (String(pair[..<separator]), String(pair[pair.index(after: separator)...]))
        }
    }
}
