/// The words and options that people know from other programs, with the names that they have in Roost.
enum FamiliarNames {
    /// Words for commands, with the command that does the same.
    static let commands = [
        "delete": "remove", "del": "remove", "cat": "show", "get": "show", "view": "show", "grep": "query",
        "read": "show", "ask": "query", "new": "init", "create": "init", "status": "stats", "info": "stats",
        "du": "stats", "tags": "count --by tag", "facets": "count --by tag",
        "trends": "count --by cluster --by month", "timeline": "count --by cluster --by month",
        "describe": "show", "check": "doctor", "fsck": "doctor",
        "validate": "doctor", "repair": "doctor --repair", "settings": "config", "label": "cluster label",
        "merge": "cluster merge", "restore": "backup restore", "verify": "backup verify",
        "snapshot": "backup create", "version": "--version", "install": "model add",
        "multi-get": "show", "peek": "list -n 5", "recent": "list --sort updated --reverse",
        "changes": "list --sort updated --reverse", "vsearch": "query --mode vector", "related": "similar",
        "neighbors": "similar", "upsert": "add --key KEY", "logs": "chat list", "forget": "remove",
        "pin": "tag", "rename": "cluster label", "split": "cluster split", "move": "cluster move",
        "outliers": "cluster outliers", "map": "export clusters --format html",
        "plot": "export clusters --format html", "visualize": "export clusters --format html",
        "refresh": "sync", "update": "sync", "monitor": "watch", "follow": "watch",
        "unwatch": "remove-folder", "pull": "model pull", "remember": "add", "dedupe": "duplicates",
        "open": "show", "browse": "pick", "man": "help", "log": "list --sort updated --reverse",
        "history": "list --sort updated --reverse", "revert": "undo", "dump": "export entries",
        "load": "import", "gc": "compact", "vacuum": "compact", "optimize": "compact",
        "prune": "backup prune",
        "reindex": "index build", "upgrade": "migrate", "topics": "cluster list", "group": "recluster",
        "sources": "list --format paths", "files": "list --format paths",
        "collection": "add-folder", "collections": "llm collections", "models": "model list",
        "embed-multi": "llm embed-multi", "embed-models": "model list", "nearest": "similar",
        "completion": "--generate-completion-script bash",
        "completions": "--generate-completion-script bash",
        "server": "serve", "start": "serve", "rg": "query", "ag": "query", "ack": "query", "egrep": "query",
        "fgrep": "query", "fzf": "pick", "recall": "chat search", "fetch": "show", "cleanup": "compact",
        "run": "serve",
    ]

    /// Words for subcommands, with the names of which a command has at most one.
    private static let subcommands = [
        "del": ["delete", "remove", "forget"], "rm": ["delete", "remove", "forget"],
        "remove": ["delete", "forget", "discard"], "delete": ["remove", "forget", "discard"],
        "ls": ["list", "collections"], "get": ["show"], "cat": ["show"], "view": ["show"],
        "info": ["show", "stats", "list"], "show": ["list"],
        "describe": ["show"], "status": ["stats"], "rename": ["label"], "name": ["label"],
        "new": ["create", "add"], "add": ["create", "import"], "save": ["create"], "init": ["create"],
        "rebuild": ["build"], "create": ["build", "add"], "update": ["build"],
        "gc": ["prune"], "clean": ["prune", "discard"], "check": ["verify", "doctor"],
        "find": ["search"], "query": ["search"], "grep": ["search"], "install": ["pull", "add"],
        "download": ["pull"], "load": ["import"], "save-as": ["export"], "dump": ["export"],
        "run": ["finish"],
        "cancel": ["discard"], "join": ["merge"], "reassign": ["move"], "topics": ["find"],
        "history": ["diff"],
    ]

    /// Options of other programs, with the options that have the same purpose in some command.
    private static let options = [
        "--no-color": ["--color never"], "--nocolor": ["--color never"], "--colour": ["--color"],
        "--csv": ["--format csv"], "--tsv": ["--format tsv"], "--table": ["--format table"],
        "--paths": ["--format paths"], "--files": ["--format paths"], "-j": ["--json"],
        "-l": ["--format paths", "--lines"], "--full": ["--json"], "--collection": ["--source"],
        "--count": ["--limit"], "--max-count": ["--limit"], "--max": ["--limit"], "--top": ["--limit"],
        "--top-k": ["--limit"], "--head": ["--limit"], "--num": ["--limit"], "--number": ["--limit"],
        "-k": ["--clusters", "--limit"], "--k": ["--clusters", "--limit"], "--n-clusters": ["--clusters"],
        "--num-clusters": ["--clusters"], "-c": ["--clusters"], "-n": ["--clusters"],
        "-r": ["--reverse"], "--desc": ["--reverse"], "--descending": ["--reverse"],
        "--order": ["--sort", "--newest"], "--order-by": ["--sort", "--newest"],
        "--sort-by": ["--sort", "--newest"], "-s": ["--sort"], "--sort": ["--newest"],
        "--recent": ["--newest"], "--line-numbers": ["--lines"], "--by": ["--sort"],
        "-f": ["--yes", "--force", "--format"], "-F": ["--format"], "--force": ["--yes"],
        "--yes": ["--force"],
        "-rf": ["--yes"], "-m": ["--model"], "-t": ["--tag", "--threshold"], "-o": ["--output"],
        "--out": ["--output"], "--fix": ["--repair"], "-d": ["--remove", "--store"], "--delete": ["--remove"],
        "--filter": ["--where"], "-w": ["--where"], "--path": ["--source"], "--file": ["--source"],
        "--folder": ["--source"], "--dir": ["--source", "--store"], "--db": ["--store"],
        "--database": ["--store"], "-C": ["--store"], "--include": ["--glob"], "-g": ["--glob"],
        "--ignore": ["--exclude"], "--after": ["--since"], "--before": ["--until"],
        "--preview": ["--dry-run"],
        "--dryrun": ["--dry-run"], "--no-act": ["--dry-run"], "--simulate": ["--dry-run"],
        "--metadata": ["--meta", "--where"], "--set": ["--meta"], "--output-format": ["--format"],
        "--format": ["--json"], "--silent": ["--quiet"], "-p": ["--port"], "--host": ["--listen"],
        "--bind": ["--listen"],
    ]

    /// Returns the subcommand that a word probably means; `nil` if it is unknown or means none of them.
    static func subcommand(_ word: String, among known: [String]) -> String? {
        subcommands[word]?.first { known.contains($0) }
    }

    /// Returns the options of a command that have the purpose of an option of another program.
    ///
    /// - Parameter known: The names of the options of the command, with their hyphens.
    static func option(_ name: String, among known: Set<String>) -> String? {
        // As in `head -5` and `git log -5`.
        if known.contains("--limit"), name.wholeMatch(of: /-[0-9]+/) != nil { return "-n" + name.dropFirst() }
        return options[name]?.first { option in known.contains(String(option.prefix { $0 != " " })) }
    }
}
