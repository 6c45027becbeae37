import ArgumentParser
import Roost

/// The name of a storage provider, as an option.
enum ProviderName: String, ExpressibleByArgument {
    case sqlite, json

    var provider: StoreManifest.Provider { self == .sqlite ? .sqlite : .json }
}
