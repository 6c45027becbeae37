import Foundation
import Roost

/// The model all-MiniLM-L6-v2, if it is installed.
enum InstalledModel {
    static let minilm = try? BERTEmbedder(folder: URL(fileURLWithPath: models + "/all-MiniLM-L6-v2"))

    /// The folder of the installed models.
    static let models: String = {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        return environment["ROOST_MODELS"] ?? data + "/roost/models"
    }()
}
