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

    /// Opens a model by name, by alias, or `lexical`.
    ///
    /// - Throws: ``EmbedderError`` naming what is missing.
    public func open(_ name: String) throws -> any Embedder {
        if name == Self.lexicalName { return LexicalEmbedder() }
        let resolved = Self.aliases[name.lowercased()] ?? name
        guard !resolved.contains("/"), !resolved.hasPrefix(".") else {
            throw EmbedderError(.modelNotFound, "'\(name)' is no model's name")
        }
        let folder = directory.appendingPathComponent(resolved)
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw EmbedderError(
                .modelNotFound,
                "the model \(resolved) is not installed in \(directory.path); add one with "
                    + "`roost model add DIR`, "
                    + "or use --model lexical")
        }
        return try BERTEmbedder(folder: folder)
    }

    /// Opens the installed model that a store's vectors were made with.
    public func open(for space: EmbeddingSpace) throws -> any Embedder {
        let lexical = LexicalEmbedder(dimension: max(16, space.dimension))
        if lexical.space.isCompatible(with: space) { return lexical }
        // The model of that name first: opening others costs time.
        for name in names().sorted(by: { ($0 == space.model ? 0 : 1, $0) < ($1 == space.model ? 0 : 1, $1) })
        {
            if let embedder = try? open(name), embedder.space.isCompatible(with: space) { return embedder }
        }
        throw RoostError(
            .spaceMismatch,
            "the store's vectors were made with \(space), which is not installed in \(directory.path); "
                + "add it with `roost model add DIR`")
    }

    /// Copies a model's files into the library, after a look whether they make a model.
    ///
    /// - Returns: the name that it has from now on, its folder's.
    public func add(_ source: URL) throws -> String {
        let embedder = try BERTEmbedder(folder: source)
        let name = source.standardizedFileURL.lastPathComponent
        let target = directory.appendingPathComponent(name)
        if let present = try? BERTEmbedder(folder: target) {
            guard present.space.isCompatible(with: embedder.space) else {
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
            try manager.moveItem(at: staging, to: target)
        } catch {
            try? manager.removeItem(at: staging)
            throw StorageError(.inputOutput, "cannot copy the model to \(target.path)", underlying: error)
        }
        return name
    }
}
