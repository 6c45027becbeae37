/// A code for an action that can solve the problem behind an error. Each program presents it in its own way.
///
/// Errors of the library do not mention commands or buttons, because the library does not know which program
/// presents them. Instead, an error has a remedy. A command-line tool can print the corresponding command; an
/// app can offer an action. The set of codes is open: treat an unknown code like a missing one.
public struct Remedy: RawRepresentable, Hashable, Sendable {
    /// The stable name of the remedy, which is the same as the name of its constant.
    public let rawValue: String

    /// Creates a remedy with the given name. The name need not be one that this version defines.
    public init(rawValue: String) { self.rawValue = rawValue }

    // MARK: The store

    /// Create a store at the location first.
    public static let createStore = Remedy(rawValue: "createStore")
    /// Specify the location of the store explicitly, to confirm that it is trusted, or specify another store.
    public static let nameStoreExplicitly = Remedy(rawValue: "nameStoreExplicitly")
    /// Inspect the store, which reports what is damaged and what can be recovered, without changing anything.
    public static let inspectStore = Remedy(rawValue: "inspectStore")
    /// Repair the store, which recovers what it can and reports what is lost.
    public static let repairStore = Remedy(rawValue: "repairStore")
    /// Restore the store from a backup.
    public static let restoreBackup = Remedy(rawValue: "restoreBackup")
    /// Close the store and open it again, because its contents or its model were replaced.
    public static let reopenStore = Remedy(rawValue: "reopenStore")
    /// Compact the store, which frees the space of removed and replaced data.
    public static let compact = Remedy(rawValue: "compact")
    /// Compact the store, or increase its configured maximum size.
    public static let compactOrRaiseSizeLimit = Remedy(rawValue: "compactOrRaiseSizeLimit")
    /// Build the search index again from the stored entries.
    public static let rebuildIndex = Remedy(rawValue: "rebuildIndex")
    /// Install the current version of Roost, because the data was written by a newer version than this one.
    public static let upgradeRoost = Remedy(rawValue: "upgradeRoost")

    // MARK: Entries and clusters

    /// Add entries to the store first.
    public static let addEntries = Remedy(rawValue: "addEntries")
    /// Ingest the sources again, and keep copies of the original files this time.
    public static let keepOriginals = Remedy(rawValue: "keepOriginals")
    /// Copy the entries into another store.
    public static let copyEntries = Remedy(rawValue: "copyEntries")
    /// Remove the entry instead of emptying it.
    public static let removeEntry = Remedy(rawValue: "removeEntry")
    /// Cluster the entries, because there are no clusters yet, the clusters were lost, or they lack data that
    /// a new run would record.
    public static let recluster = Remedy(rawValue: "recluster")

    // MARK: Models

    /// Move the store to the current embedding model, which embeds all entries again.
    public static let reembed = Remedy(rawValue: "reembed")
    /// Install the embedding model first.
    public static let installModel = Remedy(rawValue: "installModel")
    /// Install the embedding model, or choose the built-in lexical model, which needs no files.
    public static let installModelOrUseLexical = Remedy(rawValue: "installModelOrUseLexical")

    // MARK: Backups

    /// Create a backup, which also creates the backup repository.
    public static let createBackup = Remedy(rawValue: "createBackup")
    /// List the snapshots of the backup repository and choose one by its name.
    public static let chooseSnapshot = Remedy(rawValue: "chooseSnapshot")
    /// Verify the backup repository, which reports the snapshots that the damage affects.
    public static let verifyBackup = Remedy(rawValue: "verifyBackup")
    /// Remove the snapshot that cannot be read from the backup repository.
    public static let forgetSnapshot = Remedy(rawValue: "forgetSnapshot")
    /// Provide the passphrase of the store's own backup repository.
    public static let provideBackupPassphrase = Remedy(rawValue: "provideBackupPassphrase")
    /// Open the backup repository with its passphrase.
    public static let openWithPassphrase = Remedy(rawValue: "openWithPassphrase")

    // MARK: Inputs

    /// Specify which column of the table, or which key of its rows, contains the text.
    public static let nameTextColumn = Remedy(rawValue: "nameTextColumn")

    // MARK: The system

    /// Try the same operation again later.
    public static let retryLater = Remedy(rawValue: "retryLater")
    /// Free space on the volume.
    public static let freeSpace = Remedy(rawValue: "freeSpace")
    /// Check who owns the files and folders and who may read and write them.
    public static let checkPermissions = Remedy(rawValue: "checkPermissions")
    /// Close the other processes that use the store.
    public static let closeOtherProcesses = Remedy(rawValue: "closeOtherProcesses")
}
