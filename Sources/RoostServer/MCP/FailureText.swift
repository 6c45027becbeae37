import Roost
import RoostModel

enum FailureText {
    static func message(of error: any Error) -> String {
        switch error {
        case let error as OperationError: error.message
        case let error as RoostError: message(error.message, error.remedy)
        case let error as StorageError: message(error.message, error.remedy)
        case let error as EmbedderError: message(error.message, error.remedy)
        case let error as ClusteringError: error.message
        default: "the request failed: \(error)"
        }
    }

    private static func message(_ text: String, _ remedy: Remedy?) -> String {
        guard let advice = remedy.flatMap(advice) else { return text }
        return "\(text); \(advice)"
    }

    /// Returns advice for an agent, which can call tools but usually not the command line.
    private static func advice(_ remedy: Remedy) -> String? {
        switch remedy {
        case .createStore: "ask the user to create a store with `roost init`"
        case .addEntries: "store texts first"
        case .recluster: "recluster the store first"
        case .inspectStore, .repairStore: "ask the user to run `roost doctor`"
        case .installModel, .installModelOrUseLexical:
            "ask the user to install the model with `roost model pull`"
        case .reembed: "ask the user to run `roost model use`"
        case .retryLater, .closeOtherProcesses: "try again later"
        case .freeSpace, .compact, .compactOrRaiseSizeLimit: "ask the user to free disk space"
        case .upgradeRoost: "ask the user to upgrade Roost"
        default: nil
        }
    }
}
