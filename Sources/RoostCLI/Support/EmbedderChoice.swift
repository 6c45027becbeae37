import Foundation
import Roost
import RoostRemote

/// The model that a command line, a setting or a store names.
enum EmbedderChoice {
    /// What the name of a remote model begins with.
    static let remotePrefix = "remote:"

    /// An installed model by name, one in a folder, which has a slash in its name, or `remote:NAME`, which is
    /// asked what it is.
    static func open(_ name: String) async throws -> any Embedder {
        if name.hasPrefix(remotePrefix) {
            return try await RemoteEmbedder.connect(
                RemoteSettings().embeddingModel(String(name.dropFirst(remotePrefix.count))))
        }
        guard name.contains("/") else { return try UserPlaces().models.open(name) }
        let isRough = name.hasSuffix(":int8")
        let folder = URL(fileURLWithPath: isRough ? String(name.dropLast(5)) : name)
        return try LocalModel.open(folder, precision: isRough ? .int8 : .float32)
    }

    /// As ``open(_:)``, for a store, which has to find the model again: a folder's is added to the installed
    /// ones first.
    ///
    /// - Parameter notes: what was done.
    static func openForStore(_ name: String, _ notes: inout [String]) async throws -> any Embedder {
        guard name.contains("/"), !name.hasPrefix(remotePrefix) else { return try await open(name) }
        let isRough = name.hasSuffix(":int8")
        let path = isRough ? String(name.dropLast(5)) : name
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw EmbedderError(.modelNotFound, "there is no model folder \(Terminal.line(path))")
        }
        let models = UserPlaces().models
        let added = try models.add(URL(fileURLWithPath: path))
        notes.append("added the model \(added) to \(models.directory.path)")
        return try models.open(isRough ? added + ":int8" : added)
    }

    /// The model that a store's vectors were made with. A store says only what the model is called: where it
    /// is asked, and with which key, comes from the user.
    static func open(for space: EmbeddingSpace) throws -> any Embedder {
        guard space.model.hasPrefix(remotePrefix), space.revision == "remote" else {
            return try UserPlaces().models.open(for: space)
        }
        return RemoteEmbedder(
            try RemoteSettings().embeddingModel(String(space.model.dropFirst(remotePrefix.count))),
            space: space)
    }

    /// What a user should know of the work that an embedder has done, and what only the curious want to.
    static func remarks(on embedder: any Embedder) -> (notes: [String], details: [String]) {
        guard let statistics = (embedder as? RemoteEmbedder)?.statistics else { return ([], []) }
        var (notes, details) = ([String](), [String]())
        if statistics.truncatedTexts > 0 {
            notes.append(
                "the remote model read only the beginning of \(statistics.truncatedTexts) texts; "
                    + "they were embedded in parts")
        }
        let others = statistics.splitTexts - statistics.truncatedTexts
        if others > 0 {
            notes.append("\(others) texts were too long for the remote model and were embedded in parts")
        }
        if statistics.halvedRequests > 0 {
            details.append("\(statistics.halvedRequests) requests were too large and went in two")
        }
        if statistics.retries > 0 { details.append("\(statistics.retries) requests were sent again") }
        return (notes, details)
    }
}
