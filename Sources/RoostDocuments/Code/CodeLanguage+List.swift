extension CodeLanguage {
    private static let cComments = [["/*", "*/"]]
    private static let lispComments = [["#|", "|#"]]
    private static let javaScriptFunctions: Set = [
        "function", "const", "let", "var", "async", "type", "get", "set",
    ]
    private static let javaScriptContainers: Set = ["class", "interface", "namespace", "enum", "module"]

    /// The languages, by their names.
    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// All languages. If several languages use an extension, the first one applies.
    static let all: [CodeLanguage] = braced + script + others

    private static let braced: [CodeLanguage] = [
        CodeLanguage(
            name: "swift", title: "Swift", extensions: ["swift"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments, hasNestedComments: true,
            strings: [.triple, .hashes, .expressions, .regex],
            containers: ["class", "struct", "enum", "protocol", "extension", "actor"],
            functions: [
                "func", "init", "deinit", "subscript", "var", "let", "typealias", "macro", "operator",
            ]),
        CodeLanguage(
            name: "c", title: "C", extensions: ["c", "h"], layout: .braces(endsAtNewline: false),
            lineComments: ["//"], blockComments: cComments, hasDirectives: true, strings: [.character],
            containers: ["namespace", "class", "extern"], functions: ["struct", "enum", "union"],
            hasPlainFunctions: true),
        CodeLanguage(
            name: "cpp", title: "C++", extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "cu", "ino"],
            layout: .braces(endsAtNewline: false), lineComments: ["//"], blockComments: cComments,
            hasDirectives: true, strings: [.character, .raw],
            containers: ["namespace", "class", "struct", "union", "extern"], functions: ["enum"],
            hasPlainFunctions: true),
        CodeLanguage(
            name: "csharp", title: "C#", extensions: ["cs"], layout: .braces(endsAtNewline: false),
            lineComments: ["//"], blockComments: cComments, hasDirectives: true,
            strings: [.character, .triple],
            containers: ["namespace", "class", "struct", "interface", "record"],
            functions: ["enum", "delegate"],
            hasPlainFunctions: true),
        CodeLanguage(
            name: "objectivec", title: "Objective-C", extensions: ["m", "mm"], layout: .indentation,
            lineComments: ["//"], blockComments: cComments, hasDirectives: true, strings: [.character],
            containers: ["@interface", "@implementation", "@protocol"],
            functions: ["-", "+", "enum", "struct"],
            hasPlainFunctions: true),
        CodeLanguage(
            name: "java", title: "Java", extensions: ["java"], layout: .braces(endsAtNewline: false),
            lineComments: ["//"], blockComments: cComments, strings: [.character, .triple],
            containers: ["class", "interface", "enum", "record", "@interface"], hasPlainFunctions: true),
        CodeLanguage(
            name: "kotlin", title: "Kotlin", extensions: ["kt", "kts"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments, hasNestedComments: true,
            strings: [.character, .triple, .expressions], containers: ["class", "interface", "object"],
            functions: ["fun", "val", "var", "typealias", "constructor", "init"]),
        CodeLanguage(
            name: "scala", title: "Scala", extensions: ["scala", "sc"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments, hasNestedComments: true,
            strings: [.character, .triple], containers: ["class", "object", "trait", "enum"],
            functions: ["def", "val", "var", "type", "given"]),
        CodeLanguage(
            name: "go", title: "Go", extensions: ["go"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments, strings: [.character, .backtick],
            functions: ["func", "type", "var", "const"]),
        CodeLanguage(
            name: "rust", title: "Rust", extensions: ["rs"], layout: .braces(endsAtNewline: false),
            lineComments: ["//"], blockComments: cComments, hasNestedComments: true,
            strings: [.character, .hashes], containers: ["impl", "trait", "mod"],
            functions: ["fn", "struct", "enum", "union", "macro_rules", "const", "static", "type"]),
        CodeLanguage(
            name: "zig", title: "Zig", extensions: ["zig"], layout: .braces(endsAtNewline: false),
            lineComments: ["//"], strings: [.character, .lines], functions: ["fn", "const", "var", "test"]),
        CodeLanguage(
            name: "javascript", title: "JavaScript", extensions: ["js", "mjs", "cjs", "jsx"],
            layout: .braces(endsAtNewline: true), lineComments: ["//", "#!"], blockComments: cComments,
            strings: [.single, .backtick, .regex, .expressions], containers: javaScriptContainers,
            functions: javaScriptFunctions, hasPlainFunctions: true),
        CodeLanguage(
            name: "typescript", title: "TypeScript", extensions: ["ts", "tsx", "mts", "cts"],
            layout: .braces(endsAtNewline: true), lineComments: ["//"], blockComments: cComments,
            strings: [.single, .backtick, .regex, .expressions], containers: javaScriptContainers,
            functions: javaScriptFunctions, hasPlainFunctions: true),
        CodeLanguage(
            name: "vue", title: "Vue", extensions: ["vue"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments,
            strings: [.single, .backtick, .regex, .expressions],
            containers: javaScriptContainers, functions: javaScriptFunctions, hasPlainFunctions: true,
            codeElements: [["<script", "</script"]]),
        CodeLanguage(
            name: "svelte", title: "Svelte", extensions: ["svelte"], layout: .braces(endsAtNewline: true),
            lineComments: ["//"], blockComments: cComments,
            strings: [.single, .backtick, .regex, .expressions],
            containers: javaScriptContainers, functions: javaScriptFunctions, hasPlainFunctions: true,
            codeElements: [["<script", "</script"]]),
        CodeLanguage(
            name: "php", title: "PHP", extensions: ["php"], layout: .braces(endsAtNewline: false),
            lineComments: ["//", "#"], blockComments: cComments, strings: [.single, .documents],
            containers: ["class", "interface", "trait", "enum", "namespace"], functions: ["function", "fn"],
            codeElements: [["<?php", "?>"]]),
        CodeLanguage(
            name: "css", title: "CSS", extensions: ["css", "scss", "less"], layout: .selectors,
            lineComments: [], blockComments: cComments, strings: [.single]),
    ]

    private static let script: [CodeLanguage] = [
        CodeLanguage(
            name: "python", title: "Python", extensions: ["py", "pyi", "pyw"], layout: .indentation,
            lineComments: ["#"], strings: [.single, .triple, .tripleSingle], containers: ["class"],
            functions: ["def"]),
        CodeLanguage(
            name: "ruby", title: "Ruby", extensions: ["rb", "rake", "gemspec"],
            fileNames: ["Rakefile", "Gemfile"],
            layout: .indentation, lineComments: ["#"], blockComments: [["\n=begin", "\n=end"]],
            strings: [.single, .documents], containers: ["class", "module"], functions: ["def"]),
        CodeLanguage(
            name: "perl", title: "Perl", extensions: ["pl", "pm"], layout: .indentation, lineComments: ["#"],
            blockComments: ["pod", "head", "over", "item", "back", "begin", "for", "encoding"].map {
                ["\n=" + $0, "\n=cut"]
            }, strings: [.single, .documents], functions: ["sub"]),
        CodeLanguage(
            name: "lua", title: "Lua", extensions: ["lua"], layout: .indentation, lineComments: ["--"],
            blockComments: [["--[[", "]]"]], strings: [.single, .brackets], functions: ["function"]),
        CodeLanguage(
            name: "r", title: "R", extensions: ["r"], layout: .indentation, lineComments: ["#"],
            strings: [.single], functions: ["function"]),
        CodeLanguage(
            name: "julia", title: "Julia", extensions: ["jl"], layout: .indentation, lineComments: ["#"],
            blockComments: [["#=", "=#"]], hasNestedComments: true, strings: [.triple],
            containers: ["module", "baremodule"], functions: ["function", "macro", "struct", "abstract"]),
        CodeLanguage(
            name: "elixir", title: "Elixir", extensions: ["ex", "exs"], layout: .indentation,
            lineComments: ["#"], strings: [.triple],
            containers: ["defmodule", "defprotocol", "defimpl", "describe"],
            functions: ["def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "test"]),
        CodeLanguage(
            name: "shell", title: "Shell", extensions: ["sh", "bash", "zsh", "ksh"], layout: .indentation,
            lineComments: ["#"], strings: [.single, .documents], functions: ["function"],
            hasPlainFunctions: true),
    ]

    private static let others: [CodeLanguage] = [
        CodeLanguage(
            name: "haskell", title: "Haskell", extensions: ["hs"], layout: .firstColumn, lineComments: ["--"],
            blockComments: [["{-", "-}"]], hasNestedComments: true, strings: [.character],
            functions: ["data", "newtype", "type", "class", "instance", "module"]),
        CodeLanguage(
            name: "ocaml", title: "OCaml", extensions: ["ml", "mli"], layout: .firstColumn, lineComments: [],
            blockComments: [["(*", "*)"]], hasNestedComments: true, strings: [.character],
            functions: ["let", "type", "module", "and", "class", "exception", "external", "val"]),
        CodeLanguage(
            name: "erlang", title: "Erlang", extensions: ["erl", "hrl"], layout: .firstColumn,
            lineComments: ["%"], strings: [.single], functions: ["-record", "-type", "-spec"]),
        CodeLanguage(
            name: "clojure", title: "Clojure", extensions: ["clj", "cljs", "cljc", "edn"],
            layout: .firstColumn,
            lineComments: [";"],
            functions: [
                "(defn", "(defn-", "(def", "(defmacro", "(defmulti", "(defmethod", "(defprotocol",
                "(defrecord",
                "(deftype", "(defonce", "(deftest", "(ns",
            ]),
        CodeLanguage(
            name: "emacslisp", title: "Emacs Lisp", extensions: ["el"], fileNames: [".emacs"],
            layout: .firstColumn, lineComments: [";"]),
        CodeLanguage(
            name: "commonlisp", title: "Common Lisp", extensions: ["lisp", "lsp", "asd"],
            layout: .firstColumn, lineComments: [";"], blockComments: lispComments, hasNestedComments: true),
        CodeLanguage(
            name: "scheme", title: "Scheme", extensions: ["scm", "ss", "sld", "rkt"], layout: .firstColumn,
            lineComments: [";"], blockComments: lispComments, hasNestedComments: true),
        CodeLanguage(
            name: "sql", title: "SQL", extensions: ["sql"], layout: .firstColumn, lineComments: ["--"],
            blockComments: cComments, strings: [.single], functions: ["create"]),
    ]
}
