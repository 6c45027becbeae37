public import Foundation
import RoostEncoders
import RoostFiles
public import RoostModel

/// The models that a user has installed: a folder with a folder for each.
public struct ModelLibrary: Sendable, Hashable {
    public let directory: URL

    /// The name of the embedder that needs no model.
    public static let lexicalName = "lexical"
    /// Short names of models that people ask for.
    public static let aliases = ["minilm": "all-MiniLM-L6-v2"]

    public init(directory: URL) { self.directory = directory }

    /// The names of the installed models, sorted.
    public func names() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { name in
            !name.hasPrefix(".") && (try? ModelFolder(directory.appendingPathComponent(name))) != nil
        }.sorted()
    }

    /// Opens a model by name, by alias, or `lexical`. A name that ends in `:int8` is opened with 8-bit
    /// layers.
    ///
    /// - Throws: ``EmbedderError`` naming what is missing.
    public func open(_ name: String) throws -> any Embedder {
        if name == Self.lexicalName { return LexicalEmbedder() }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let precision = BERTEmbedder.Precision(rawValue: parts.count > 1 ? parts[1] : "float32") else {
            throw EmbedderError(
                .modelNotFound, "'\(name)' is no model's name; after the colon stands float32 or int8")
        }
        return try LocalModel.open(try folder(of: parts[0]), precision: precision)
    }

    /// The folder of an installed model.
    private func folder(of name: String) throws -> URL {
        let resolved = Self.aliases[name.lowercased()] ?? name
        guard !resolved.isEmpty, !resolved.contains("/"), !resolved.hasPrefix(".") else {
            throw EmbedderError(.modelNotFound, "'\(name)' is no model's name")
        }
        let folder = directory.appendingPathComponent(resolved)
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw EmbedderError(
                .modelNotFound,
                "the model \(resolved) is not installed in \(directory.path); add one with "
                    + "`roost model add DIR`, or use --model lexical")
        }
        return folder
    }

    /// Opens the installed model that a store's vectors were made with.
    public func open(for space: EmbeddingSpace) throws -> any Embedder {
        let lexical = LexicalEmbedder(dimension: max(16, space.dimension))
        if lexical.space.isCompatible(with: space) { return lexical }
        // The model of that name first: opening others costs time.
        for name in names().sorted(by: { ($0 == space.model ? 0 : 1, $0) < ($1 == space.model ? 0 : 1, $1) })
        {
            let precise = space.revision.hasSuffix("+int8") ? "\(name):int8" : name
            if let embedder = try? open(precise), embedder.space.isCompatible(with: space) { return embedder }
        }
        throw RoostError(
            .spaceMismatch,
            "the store's vectors were made with \(space), which is not installed in \(directory.path); "
                + "add it with `roost model add DIR`")
    }

    /// Copies a model's files into the library, after a look whether they make a model.
    ///
    /// - Parameters:
    ///   - queryPrefix: what the model was trained to see before questions, where its folder does not say so;
    ///     written into the copy's `config_sentence_transformers.json`.
    ///   - documentPrefix: likewise before documents.
    /// - Returns: the name that it has from now on, its folder's.
    public func add(
        _ source: URL, queryPrefix: String? = nil, documentPrefix: String? = nil
    ) throws -> String {
        let embedder = try LocalModel.open(source)
        let prompts = try Prompts(queryPrefix, documentPrefix, for: embedder)
        let name = source.standardizedFileURL.lastPathComponent
        guard !name.contains(":"), !name.hasPrefix("."), name != Self.lexicalName else {
            throw RoostError(
                .configuration, "'\(name)' cannot be a model's name: rename the folder, without a colon")
        }
        let target = directory.appendingPathComponent(name)
        if let present = try? LocalModel.open(target) {
            var wanted = embedder.space
            // What was given when it was added need not be given again.
            wanted.queryPrefix = queryPrefix ?? present.space.queryPrefix
            wanted.documentPrefix = documentPrefix ?? present.space.documentPrefix
            guard present.space.isCompatible(with: wanted) else {
                throw RoostError(
                    .configuration, "there is another model \(name) in \(directory.path); rename the folder")
            }
            return name
        }
        try FileSystem.standard.createFolder(directory)
        let staging = directory.appendingPathComponent(".\(name).\(UUID().uuidString)")
        let manager = FileManager.default
        do {
            for file in ModelFolder.files {
                let from = source.appendingPathComponent(file)
                guard manager.fileExists(atPath: from.path) else { continue }
                let to = staging.appendingPathComponent(file)
                try FileSystem.standard.createFolder(to.deletingLastPathComponent())
                try manager.copyItem(at: from, to: to)
            }
            try prompts?.write(into: staging)
            try manager.moveItem(at: staging, to: target)
        } catch {
            try? manager.removeItem(at: staging)
            throw StorageError(.inputOutput, "cannot copy the model to \(target.path)", underlying: error)
        }
        return name
    }

    /// What is put before texts, as `config_sentence_transformers.json` has it.
    private struct Prompts {
        var texts: [String: String]

        /// - Returns: `nil` where nothing was given.
        init?(_ query: String?, _ document: String?, for embedder: any Embedder) throws {
            let given = [("query", query), ("document", document)].compactMap { name, text in
                text.map { (name, $0) }
            }
            guard !given.isEmpty else { return nil }
            guard embedder is BERTEmbedder else {
                throw RoostError(.configuration, "a static model takes no prefixes")
            }
            guard given.allSatisfy({ $0.1.utf8.count <= 1000 }) else {
                throw RoostError(.configuration, "a prefix has at most 1000 bytes")
            }
            texts = Dictionary(uniqueKeysWithValues: given)
        }

        func write(into folder: URL) throws {
            let url = folder.appendingPathComponent("config_sentence_transformers.json")
            let data = try? Data(contentsOf: url)
            var document =
                (data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]) ?? [:]
            var prompts = document["prompts"] as? [String: Any] ?? [:]
            if texts["document"] != nil { prompts["passage"] = nil }
            for (name, text) in texts { prompts[name] = text }
            document["prompts"] = prompts
            try AtomicFile.write(
                try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys]),
                to: url)
        }
    }

    /// Takes a model's folder away. Stores whose vectors were made with it can still be read and exported.
    ///
    /// - Returns: the name of the folder that was.
    /// - Throws: ``EmbedderError`` where there is no such model; ``StorageError`` where it cannot be removed.
    public func remove(_ name: String) throws -> String {
        let folder = try folder(of: name)
        guard names().contains(folder.lastPathComponent) else {
            throw EmbedderError(
                .modelNotFound,
                "\(folder.path) is no model's folder: it has no config.json; nothing was removed")
        }
        // Out of sight first, so that nobody opens half a model.
        let leaving = directory.appendingPathComponent(".removed.\(UUID().uuidString)")
        do {
            try FileManager.default.moveItem(at: folder, to: leaving)
            try FileManager.default.removeItem(at: leaving)
        } catch {
            throw StorageError(.inputOutput, "cannot remove \(folder.path)", underlying: error)
        }
        return folder.lastPathComponent
    }

    /// What an installed model is.
    public struct Description: Sendable, Hashable, Encodable {
        public var name: String
        public var space: EmbeddingSpace
        /// How many tokens of a text one vector takes in.
        public var maximumTokens: Int?
        /// Size on disk.
        public var bytes: Int
        /// How long a text takes, roughly: `instant`, `fast`, `medium` or `slow`.
        public var speed: String
    }

    /// - Throws: as ``open(_:)``.
    public func describe(_ name: String) throws -> Description {
        let embedder = try open(name)
        let speed =
            switch embedder {
            // In millions of operations: MiniLM has 21, small models 43, base models 170.
            case let bert as BERTEmbedder:
                bert.operationsPerToken < 60_000_000
                    ? "fast" : bert.operationsPerToken < 250_000_000 ? "medium" : "slow"
            default: "instant"
            }
        var bytes = 0
        if let folder = try? folder(of: name) {
            for file in ModelFolder.files {
                let attributes = try? FileManager.default.attributesOfItem(
                    atPath: folder.appendingPathComponent(file).path)
                bytes += (attributes?[.size] as? Int) ?? 0
            }
        }
        return Description(
            name: name, space: embedder.space, maximumTokens: embedder.maximumTokens, bytes: bytes,
            speed: speed)
    }
}
