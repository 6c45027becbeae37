import Roost

enum RemedyText {
    static func message(_ message: String, _ remedy: Remedy?) -> String {
        guard let remedy, let text = texts[remedy] else { return message }
        // Some messages of the library already end with the next step.
        let isGiven = message.hasSuffix(text) || (remedy == .retryLater && message.hasSuffix("try again"))
        guard !isGiven else { return message }
        return "\(message); \(text)"
    }

    /// Returns the advice for a remedy; `nil` if the remedy is unknown.
    static func advice(_ remedy: Remedy) -> String? { texts[remedy] }

    private static let texts: [Remedy: String] = [
        // The store
        .createStore: "create one with `roost init`",
        .nameStoreExplicitly: "if you trust this store, name it with --store",
        .inspectStore: "run `roost doctor` for details",
        .repairStore: "run `roost doctor --repair`",
        .restoreBackup: "restore a backup with `roost backup restore latest --into DIR`",
        .reopenStore: "run the command again",
        .compact: "free space with `roost doctor --compact`",
        .compactOrRaiseSizeLimit: "free space with `roost doctor --compact`, or raise the limit with "
            + "`roost doctor --compact --max-size SIZE`",
        .rebuildIndex: "run `roost index`",
        .upgradeRoost: "upgrade Roost",
        // Entries and clusters
        .addEntries: "add entries with `roost ingest PATH`",
        .keepOriginals: "ingest the files again with `roost ingest --keep-originals`",
        .copyEntries: "run `roost copy FROM TO`",
        .removeEntry: "remove the entry with `roost remove`",
        .recluster: "run `roost recluster`",
        // Models
        .reembed: "run `roost model use NAME`",
        .installModel: "install the model with `roost model pull` or `roost model add`",
        .installModelOrUseLexical: "install a model with `roost model pull` or `roost model add`, or use "
            + "the model lexical",
        // Backups
        .createBackup: "create a backup with `roost backup create`",
        .chooseSnapshot: "run `roost backup list` to list the snapshots",
        .forgetSnapshot: "remove it with `roost backup forget SNAPSHOT`",
        .verifyBackup: "run `roost backup verify --read-data`",
        .provideBackupPassphrase: "set $ROOST_BACKUP_PASSWORD to the passphrase of the store's backups",
        .openWithPassphrase: "use --password-file or $ROOST_BACKUP_PASSWORD",
        // Inputs
        .nameTextColumn: "name the column that contains the text with --text-column",
        // The system
        .retryLater: "try again later",
        .freeSpace: "free disk space",
        .checkPermissions: "check the owner and permissions of the files",
        .closeOtherProcesses: "close the other programs that use the store",
    ]
}
