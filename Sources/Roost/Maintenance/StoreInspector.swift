public import Foundation
import RoostFiles
public import RoostModel

/// Inspects and repairs all files in a store's folder.
public struct StoreInspector: Sendable {
    /// The store's folder.
    public let directory: URL
    /// Returns the embedders that are tried to determine the embedding space if the manifest is lost.
    let embedders: @Sendable () -> [any Embedder]
    /// Returns the embedder of the store's embedding space, with which ``repair()`` computes invalid vectors
    /// again; by default, one of `embedders` is used.
    public var embedder: (@Sendable (EmbeddingSpace) throws -> any Embedder)?
    /// The passphrase of the store's own backup repository; `nil` if that is not encrypted.
    public var passphrase: String?

    /// Creates an inspector.
    ///
    /// - Parameters:
    ///   - directory: The store's folder.
    ///   - embedders: The embedders that may have computed the store's vectors, the most likely first. Called
    ///     only by ``repair()``, and only if the manifest is lost.
    public init(_ directory: URL, embedders: @escaping @Sendable () -> [any Embedder] = { [] }) {
        self.directory = directory
        self.embedders = embedders
    }

    /// Inspects the store without changing it.
    ///
    /// - Returns: The findings, with the effect that a repair has on each; none of them has the severity
    ///   `.damage` if the store is intact.
    /// - Throws: ``RoostError`` with `.noStore` or `.newerFormat`; `StorageError` if files cannot be read
    ///   for a reason other than their contents.
    @concurrent
    public func inspect() async throws -> [StorageFinding] {
        let recovered = try RecoveredManifest(in: directory)
        var findings = recovered.findings
        guard let manifest = recovered.manifest else { return findings }
        let checks = StoreChecks(configuration: StoreConfiguration(directory: directory, manifest: manifest))
        findings += try await checks.ofFiles()
        let manifestPath = StoreManifest.path(in: directory)
        guard !findings.contains(where: { $0.severity == .damage && $0.subject != manifestPath }) else {
            return findings
        }
        do {
            findings += try await checks.ofContents(isManifestIntact: recovered.isIntact)
        } catch let error as StorageError where error.code == .locked {
            findings.append(
                .note(
                    directory.path,
                    "another process is writing to the store; the contents of entries were not inspected"))
        }
        return findings
    }

    /// Checks whether a model still computes the same vectors as when the store was created.
    ///
    /// - Parameter embedder: The embedder with which the store is opened.
    /// - Returns: A finding with the severity `.damage` if the vectors differ; an empty array if they are
    ///   equal or if the model is unavailable.
    public func inspect(_ embedder: any Embedder) async -> [StorageFinding] {
        guard let manifest = try? await StoreManifest.settled(in: directory), manifest.space.probe != nil,
            let probed = try? await embedder.probedSpace(), !probed.isCompatible(with: manifest.space)
        else { return [] }
        return [
            .damage(
                StoreManifest.path(in: directory),
                "names the embedding space \(manifest.space), but the installed model of this name computes "
                    + "different vectors; re-embed the store with the installed model, or install the "
                    + "original one")
        ]
    }

    /// Repairs the manifest, the storage, assignments, invalid vectors and original files as far as
    /// possible, and removes leftover temporary files.
    ///
    /// The storage's provider repairs its own files (`LocalStorageProvider/repair(directory:options:)`,
    /// `SQLiteStorageProvider/repair(databaseURL:options:)`). No data is deleted: damaged files are moved
    /// into a folder, and if the damaged store can be read, a snapshot is first created in its own backup
    /// repository.
    ///
    /// - Returns: The findings and the actions taken.
    /// - Throws: The errors of ``inspect()``; `StorageError` with `.locked`, or with `.damaged` if nothing
    ///   can be recovered.
    @concurrent
    public func repair() async throws -> [StorageFinding] {
        try await StoreRepair(self).run()
    }

    /// Returns the embedder of an embedding space.
    ///
    /// - Throws: ``RoostError`` with `.spaceMismatch` if no embedder is known for that space; any error of
    ///   ``embedder``.
    func embedder(for space: EmbeddingSpace) throws -> any Embedder {
        if let embedder { return try embedder(space) }
        guard let found = embedders().first(where: { $0.space.isCompatible(with: space) }) else {
            throw RoostError(
                .spaceMismatch, "no embedder for \(space) is available", remedy: .installModel)
        }
        return found
    }
}
