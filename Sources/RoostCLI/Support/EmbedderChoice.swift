import Foundation
import Roost
import RoostRemote

/// Opens the model that a command line, a setting or a store names.
enum EmbedderChoice {
    /// The prefix that marks the name of a remote model.
    static let remotePrefix = "remote:"

    /// The suffix that marks the name of a model with 8-bit layers.
    private static let int8Suffix = ":int8"

    /// Opens an installed model, a model folder (a name with a slash), or a remote model (`remote:NAME`),
    /// whose dimension is requested from the server.
    static func open(_ name: String) async throws -> any Embedder {
        if name.hasPrefix(remotePrefix) {
            return try await RemoteEmbedder.connect(
                RemoteSettings().embeddingModel(String(name.dropFirst(remotePrefix.count))))
        }
        guard name.contains("/") else {
            return try UserDirectories().models.open(name)
        }
        let isInt8 = name.hasSuffix(int8Suffix)
        let folder = URL(fileURLWithPath: isInt8 ? String(name.dropLast(int8Suffix.count)) : name)
        return try LocalModel.open(folder, precision: isInt8 ? .int8 : .float32)
    }

    /// Opens a model for a store. A model that is given as a folder is installed first, so that the store can
    /// find it later.
    ///
    /// - Parameter notes: Receives a message if a model was installed.
    static func openForStore(_ name: String, _ notes: inout [String]) async throws -> any Embedder {
        guard name.contains("/"), !name.hasPrefix(remotePrefix) else { return try await open(name) }
        let isInt8 = name.hasSuffix(int8Suffix)
        let path = isInt8 ? String(name.dropLast(int8Suffix.count)) : name
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw EmbedderError(
                .modelNotFound, "cannot open the model folder \(Terminal.line(path)): not found")
        }
        let models = UserDirectories().models
        let added = try models.add(URL(fileURLWithPath: path))
        notes.append("installed the model \(added) in \(models.directory.path)")
        return try models.open(isInt8 ? added + int8Suffix : added)
    }

    /// Opens the model of a store's embedding space. For security, a store provides only the name of a remote
    /// model; the server and the key come from the user's settings.
    static func open(for space: EmbeddingSpace) throws -> any Embedder {
        guard space.model.hasPrefix(remotePrefix), space.revision == "remote" else {
            return try UserDirectories().models.open(for: space)
        }
        return RemoteEmbedder(
            try RemoteSettings().embeddingModel(String(space.model.dropFirst(remotePrefix.count))),
            space: space)
    }
}
