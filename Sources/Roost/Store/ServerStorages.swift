import Synchronization

/// The instance of ``ServerStorage`` that the process uses.
public enum ServerStorages {
    private static let installed = Mutex<(any ServerStorage)?>(nil)

    /// Installs the instance that opens all storages on servers.
    public static func install(_ storage: any ServerStorage) { installed.withLock { $0 = storage } }

    static var current: (any ServerStorage)? { installed.withLock { $0 } }
}
