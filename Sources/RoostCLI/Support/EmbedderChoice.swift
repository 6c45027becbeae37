import Foundation
import Roost
import RoostRemote

/// Opens the model that a command line, a setting or a store names.
enum EmbedderChoice {
    static let remotePrefix = "remote:"

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

    /// Opens an installed cross-encoder, the folder of one (a name with a slash), or a remote re-ranker
    /// (`remote:NAME`).
    static func reranker(_ name: String) throws -> any Reranker {
        if name.hasPrefix(remotePrefix) {
            let name = String(name.dropFirst(remotePrefix.count))
            return RemoteReranker(try RemoteSettings().model(name, for: "rerank"))
        }
        guard name.contains("/") else { return try UserDirectories().models.reranker(name) }
        return try CrossEncoder(folder: URL(fileURLWithPath: name))
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

/// A placeholder for a model that is not installed. With it, a store of that model can still be listed,
/// exported and compacted.
struct AbsentEmbedder: Embedder {
    let space: EmbeddingSpace
    /// The reason why the model cannot be opened; ``embed(_:as:)`` throws it.
    let reason: any Error
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        // If an ingest contains only known texts, there is nothing to embed, so it succeeds without the
        // model.
        guard texts.isEmpty else { throw reason }
        return Embeddings(
            vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}

extension EmbeddingSpace {
    /// The name with which the model is selected, which ends with `:int8` for 8-bit layers.
    var selectableName: String { revision.hasSuffix("+int8") ? "\(model):int8" : model }
}

/// The endpoints and keys of remote models.
///
/// They come from the environment and the user's settings, never from a store: opening an untrusted store
/// must not send texts or keys to a server.
struct RemoteSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration() }

    func embeddingModel(_ name: String) throws -> RemoteModel {
        guard let endpoint = try endpoint("remote") else {
            throw CommandError(
                .configuration,
                "cannot use the model \(Terminal.line(EmbedderChoice.remotePrefix + name, limit: 60)): no "
                    + "endpoint is configured; set one, for example with "
                    + "`roost config remote-endpoint http://localhost:11434/v1`")
        }
        return try model(endpoint, name, key("remote"))
    }

    /// Returns the chat model that labels clusters.
    func labelingModel(_ name: String?) throws -> RemoteModel {
        guard let name = try name ?? settings.value(of: "label-model") else {
            throw CommandError(
                .configuration,
                "cannot label clusters: no chat model is configured; use --model NAME or "
                    + "`roost config label-model NAME`")
        }
        let prefix = EmbedderChoice.remotePrefix
        let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        return try model(bare, for: "label")
    }

    /// Returns a model at the endpoint of a service, or else at that of embeddings. Each endpoint has a separate
    /// key: the key for embeddings is never sent to the endpoint for labels.
    func model(_ name: String, for service: String) throws -> RemoteModel {
        for service in [service, "remote"] {
            if let endpoint = try endpoint(service) { return try model(endpoint, name, key(service)) }
        }
        throw CommandError(
            .configuration,
            "cannot use the model \(Terminal.line(name, limit: 60)): no endpoint is configured; set one, for "
                + "example with `roost config \(service)-endpoint http://localhost:11434/v1`")
    }

    private func model(_ endpoint: String, _ name: String, _ key: Secret?) throws -> RemoteModel {
        var model = try RemoteModel(endpoint: endpoint, name: name, key: key)
        model.environment = environment
        return model
    }

    private func variable(_ service: String, _ suffix: String) -> String? {
        environment["ROOST_\(service.uppercased())_\(suffix)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func endpoint(_ service: String) throws -> String? {
        try variable(service, "ENDPOINT") ?? settings.value(of: "\(service)-endpoint")
    }

    private func key(_ service: String) throws -> Secret? {
        if let text = variable(service, "KEY") {
            guard let key = Secret(text) else {
                throw CommandError(
                    .configuration,
                    "invalid key in $ROOST_\(service.uppercased())_KEY: it contains unsupported characters")
            }
            return key
        }
        guard let path = try settings.value(of: "\(service)-key-file") else { return nil }
        let data: Data
        do {
            data = try InputFile.secret(path, kind: "key")
        } catch let error as CommandError {
            throw CommandError(
                .configuration, "\(error.message), the value of the setting \(service)-key-file")
        }
        guard let key = Secret(String(decoding: data, as: UTF8.self)) else {
            throw CommandError(
                .configuration,
                "cannot use the key in \(path), the value of the setting \(service)-key-file: it contains "
                    + "unsupported characters")
        }
        return key
    }
}
