import Foundation
import Roost
import RoostRemote

/// The endpoints and keys of remote models.
///
/// They come from the environment and the user's settings, never from a store: opening an untrusted store
/// must not send texts or keys to a server.
struct RemoteSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration(UserDirectories().configurationFile) }

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

    /// Returns the chat model that labels clusters. Each endpoint has a separate key: the key for embeddings
    /// is never sent to the endpoint for labels.
    ///
    /// - Parameter name: The name of the model; `nil` for the model named in the settings.
    func labelingModel(_ name: String?) throws -> RemoteModel {
        guard let name = try name ?? settings.value(of: "label-model") else {
            throw CommandError(
                .configuration,
                "cannot label clusters: no chat model is configured; use --model NAME or "
                    + "`roost config label-model NAME`")
        }
        let prefix = EmbedderChoice.remotePrefix
        let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        for service in ["label", "remote"] {
            if let endpoint = try endpoint(service) { return try model(endpoint, bare, key(service)) }
        }
        throw CommandError(
            .configuration,
            "cannot use the model \(Terminal.line(bare, limit: 60)): no endpoint is configured; set one, for "
                + "example with `roost config label-endpoint http://localhost:11434/v1`")
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
            data = try SecretFile.read(path, kind: "key")
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
