public import Foundation
import RoostFiles
import RoostModel

extension ModelLibrary {
    /// Copies a model's files into the library after checking that they form a valid model.
    ///
    /// A model that is already installed with the same contents is not copied again.
    ///
    /// - Parameters:
    ///   - source: The folder of the model, whose name becomes the model's name.
    ///   - queryPrefix: The prefix of queries with which the model was trained, if its folder does not
    ///     specify one. It is written to the copy's `config_sentence_transformers.json`.
    ///   - documentPrefix: The prefix of documents with which the model was trained, handled in the same way.
    /// - Returns: The name of the installed model.
    /// - Throws: `EmbedderError` for an invalid model, with `.configuration` for an invalid name or prefix, or
    ///   if another model of that name is installed; `StorageError`.
    public func add(
        _ source: URL, queryPrefix: String? = nil, documentPrefix: String? = nil
    ) throws -> String {
        let space = try Self.space(of: source)
        try Self.check([queryPrefix, documentPrefix].compactMap(\.self), for: source)
        let name = source.standardizedFileURL.lastPathComponent
        guard !name.contains(":"), !name.hasPrefix("."), name != Self.lexicalName else {
            throw EmbedderError(
                .configuration,
                "cannot add the model '\(name)': a model name must not contain a colon, begin with a period "
                    + "or be '\(Self.lexicalName)'; rename the folder")
        }
        let target = directory.appendingPathComponent(name)
        if let installed = try? Self.space(of: target) {
            var expected = space
            // A prefix that was given when the model was installed need not be given again.
            expected.queryPrefix = queryPrefix ?? installed.queryPrefix
            expected.documentPrefix = documentPrefix ?? installed.documentPrefix
            guard installed.isCompatible(with: expected) else {
                throw EmbedderError(
                    .configuration,
                    "cannot add the model '\(name)': a different model with this name is installed in "
                        + "\(directory.path); rename the folder")
            }
            return name
        }
        try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(directory) }
        let staging = directory.appendingPathComponent(".\(name).\(UUID().uuidString)")
        do {
            try Self.copyFiles(of: source, to: staging)
            try Self.writePrefixes(query: queryPrefix, document: documentPrefix, into: staging)
            // Opening the copy records the checksums of its files, and shows whether they were copied intact.
            guard try Self.space(of: staging).revision == space.revision else {
                throw CocoaError(.fileReadCorruptFile)
            }
            try replaceDamaged(target)
            try FileManager.default.moveItem(at: staging, to: target)
        } catch {
            try? FileManager.default.removeItem(at: staging)
            throw StorageError(.inputOutput, "cannot copy the model to \(target.path)", underlying: error)
        }
        return name
    }

    /// Opens the model in a folder and returns its embedding space.
    private static func space(of folder: URL) throws -> EmbeddingSpace {
        guard try CrossEncoder.describes(ModelFolder(folder)) else {
            return try LocalModel.open(folder).space
        }
        return try CrossEncoder(folder: folder).space
    }

    /// Moves an installed model that cannot be opened out of the way.
    private func replaceDamaged(_ folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        let name = ".damaged.\(folder.lastPathComponent).\(UUID().uuidString)"
        try FileManager.default.moveItem(at: folder, to: directory.appendingPathComponent(name))
    }

    private static func copyFiles(of source: URL, to target: URL) throws {
        let manager = FileManager.default
        for file in ModelFolder.files {
            let original = source.appendingPathComponent(file)
            guard manager.fileExists(atPath: original.path) else { continue }
            let copy = target.appendingPathComponent(file)
            try FileSystem.standard.createFolder(copy.deletingLastPathComponent())
            try manager.copyItem(at: original, to: copy)
        }
    }

    /// Removes an installed model. Stores with vectors from this model can still be read and exported.
    ///
    /// - Returns: The name of the removed folder.
    /// - Throws: `EmbedderError` if the model is not installed; `StorageError` if it cannot be removed.
    public func remove(_ name: String) throws -> String {
        let folder = try folder(of: name)
        guard names().contains(folder.lastPathComponent) else {
            throw EmbedderError(
                .modelNotFound,
                "refused to remove \(folder.path): it is not a model folder, because it has no config.json")
        }
        // The folder is renamed first, so that no process opens a model that is partly removed.
        let removed = directory.appendingPathComponent(".removed.\(UUID().uuidString)")
        do {
            try FileManager.default.moveItem(at: folder, to: removed)
            try FileManager.default.removeItem(at: removed)
        } catch {
            throw StorageError(.inputOutput, "cannot remove \(folder.path)", underlying: error)
        }
        return folder.lastPathComponent
    }

    // MARK: Prefixes

    /// The maximum length of a prefix in UTF-8 bytes: prefixes of published models have fewer than 200, and
    /// a longer one would use up a model's limit of 256 or 512 tokens.
    private static let maximumPrefixLength = 1000

    private static func check(_ prefixes: [String], for source: URL) throws {
        let folder = try ModelFolder(source)
        guard try prefixes.isEmpty || !(StaticEmbedder.describes(folder) || CrossEncoder.describes(folder))
        else {
            throw EmbedderError(.configuration, "a static model or a cross-encoder does not support prefixes")
        }
        guard prefixes.allSatisfy({ $0.utf8.count <= maximumPrefixLength }) else {
            throw EmbedderError(
                .configuration, "a prefix is too long: the maximum is \(maximumPrefixLength) bytes")
        }
    }

    private static func writePrefixes(query: String?, document: String?, into folder: URL) throws {
        guard query != nil || document != nil else { return }
        let url = folder.appendingPathComponent("config_sentence_transformers.json")
        let data = try? Data(contentsOf: url)
        var contents =
            (data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]) ?? [:]
        var prompts = contents["prompts"] as? [String: Any] ?? [:]
        if let query { prompts["query"] = query }
        if let document {
            prompts["document"] = document
            // `passage` is an older name for `document`. If it remained, it would take precedence.
            prompts["passage"] = nil
        }
        contents["prompts"] = prompts
        try AtomicFile.write(
            try JSONSerialization.data(withJSONObject: contents, options: [.prettyPrinted, .sortedKeys]),
            to: url)
    }
}
