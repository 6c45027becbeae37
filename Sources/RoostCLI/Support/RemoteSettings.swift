import Foundation
import Roost
import RoostRemote

/// Where remote models are asked, and with which key: from the environment and the user's settings, never
/// from a store.
struct RemoteSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration(UserPlaces().configurationFile) }

    /// A model that embeds.
    func embeddingModel(_ name: String) throws -> RemoteModel {
        guard let endpoint = try endpoint("remote") else {
            throw CommandError(
                .configuration,
                "the model \(Terminal.line(EmbedderChoice.remotePrefix + name, limit: 60)) is remote, "
                    + "and no endpoint is set; "
                    + "`roost config remote-endpoint http://localhost:11434/v1`, say")
        }
        return try model(endpoint, name, key("remote"))
    }

    /// A chat model that names clusters. A place of its own has a key of its own: that for embeddings is
    /// sent to no other place.
    ///
    /// - Parameter name: `nil` takes the one of the settings.
    func labelingModel(_ name: String?) throws -> RemoteModel {
        guard let name = try name ?? settings.value(of: "label-model") else {
            throw CommandError(
                .configuration,
                "no chat model is set that could name clusters; name one with --model NAME or "
                    + "`roost config label-model NAME`")
        }
        let prefix = EmbedderChoice.remotePrefix
        let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        for place in ["label", "remote"] {
            if let endpoint = try endpoint(place) { return try model(endpoint, bare, key(place)) }
        }
        throw CommandError(
            .configuration,
            "no endpoint is set where \(Terminal.line(bare, limit: 60)) could be asked; "
                + "`roost config label-endpoint http://localhost:11434/v1`, say")
    }

    private func model(_ endpoint: String, _ name: String, _ key: Secret?) throws -> RemoteModel {
        var model = try RemoteModel(endpoint: endpoint, name: name, key: key)
        model.environment = environment
        return model
    }

    private func given(_ place: String, _ what: String) -> String? {
        environment["ROOST_\(place.uppercased())_\(what)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func endpoint(_ place: String) throws -> String? {
        try given(place, "ENDPOINT") ?? settings.value(of: "\(place)-endpoint")
    }

    private func key(_ place: String) throws -> Secret? {
        if let text = given(place, "KEY") {
            guard let key = Secret(text) else {
                throw CommandError(
                    .configuration, "$ROOST_\(place.uppercased())_KEY has characters that no key has")
            }
            return key
        }
        guard let path = try settings.value(of: "\(place)-key-file") else { return nil }
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 16,
            let key = Secret(String(decoding: data, as: UTF8.self))
        else {
            throw CommandError(
                .configuration, "there is no key in \(path), which the setting \(place)-key-file names")
        }
        return key
    }
}
