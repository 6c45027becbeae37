import ArgumentParser
import Foundation

/// The completion scripts of shells: those of ArgumentParser, with an addition that understands other names
/// of commands (``CompletionAliases``), and options before a command (``CompletionWords``), offers files as
/// sources, and completes words with colons in bash.
enum CompletionScript {
    /// The option that prints a script.
    private static let option = "--generate-completion-script"

    /// Returns the script that the arguments of the process request; `nil` if they request none, or one of an
    /// unknown shell.
    static func requested(by arguments: [String]) -> String? {
        guard let first = arguments.first else { return nil }
        let name: String? =
            first == option && arguments.count == 2
            ? arguments[1] : first.hasPrefix(option + "=") ? String(first.dropFirst(option.count + 1)) : nil
        guard let name, let shell = CompletionShell(rawValue: name) else { return nil }
        return script(for: shell)
    }

    /// Returns the script for a shell.
    static func script(for shell: CompletionShell) -> String {
        let script = aliases.added(
            to: addingFiles(to: RoostCommand.completionScript(for: shell), for: shell), for: shell)
        switch shell {
        case .bash:
            return script.replacing("\n_roost() {\n", with: "\n\(bashWords)\n__roost_commands() {\n\(bash)")
        case .zsh:
            return inserting(zsh, after: "\n    unsetopt aliases banghist\n", in: script)
        case .fish:
            return script.replacing("function __roost_tokens\n", with: "function __roost_typed_tokens\n")
                + fish
        default: return script
        }
    }

    /// Returns a script that completes the values of `--source` with files, too. ArgumentParser completes a
    /// value either with files or with the words of the program.
    private static func addingFiles(to script: String, for shell: CompletionShell) -> String {
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { text in
            let line = String(text)
            guard line.contains(" -- --source "), line.contains("---completion ") else { return line }
            switch shell {
            case .bash: return line + "\n        __roost_add_completions -f"
            case .zsh: return line.replacing("{__roost_custom", with: "{_files; __roost_custom")
            case .fish: return line.replacing(" -rfka ", with: " -rFka ")
            default: return line
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a script with text after the first occurrence of a line. A script of another form is returned
    /// unchanged: it completes as ArgumentParser does.
    private static func inserting(_ text: String, after line: String, in script: String) -> String {
        guard let range = script.firstRange(of: line) else { return script }
        return script.replacingCharacters(in: range.upperBound..<range.upperBound, with: text)
    }

    private static var aliases: CompletionAliases { CompletionAliases(of: RoostCommand.self) }

    /// The first words of the lines that the program converts.
    private static var starts: String { CompletionWords.starts.joined(separator: "|") }
    /// The second words of such lines.
    private static var secondWords: String { aliases.ofSubcommands.joined(separator: "|") }
    /// The patterns of bash and zsh for the first two words, with a space after each.
    private static var patterns: String {
        (CompletionWords.starts.map { "\($0)\\ *" } + aliases.ofSubcommands.map { "*\\ \($0)\\ " })
            .joined(separator: "|")
    }

    /// The function that bash calls. Bash separates words at colons and equals signs and replaces only the
    /// part after the last one, so the parts are joined, and the joined ones removed from the results.
    private static var bashWords: String {
        """
        _roost() {
            local line="${COMP_LINE}" prefix="" is_value=false rest typed word
            local -a words=()
            local -i current=0 index last=-1
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[index]}"
                rest="${line#"${line%%[![:space:]]*}"}"
                if [[ "${last}" -lt 0 || "${rest}" != "${line}" ]]; then
                    last+=1
                    words[last]=""
                    is_value=false
                elif [[ "${word}" = "=" && "${words[last]}" = --* ]]; then
                    # The value of an option is a word of its own.
                    last+=1
                    words[last]=""
                    word=""
                    is_value=true
                elif [[ "${is_value}" = false && "${words[last]}" != *[:=] && "${word}" != [:=]* ]]; then
                    last+=1
                    words[last]=""
                fi
                if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
                    current="${last}"
                    prefix="${words[last]}"
                    if [[ "${word}" = [:=]* ]]; then prefix+="${word}"; fi
                fi
                words[last]+="${word}"
                line="${rest#"${COMP_WORDS[index]}"}"
            done
            words[current]="${prefix}${2}"
            typed="${words[*]:0:current+1}"
            COMP_WORDS=("${words[@]}")
            COMP_CWORD="${current}"
            COMP_LINE="${words[*]}"
            COMP_POINT="${#typed}"
            __roost_commands "${1}" "${words[current]}" "${words[current-1]}"
            for index in "${!COMPREPLY[@]}"; do
                COMPREPLY[index]="${COMPREPLY[index]#"${prefix}"}"
            done
        }

        """
    }

    private static var bash: String {
        """
            case "${COMP_WORDS[1]} ${COMP_WORDS[2]} " in
            -*|\(patterns))
                local -a typed=()
                local typed_line
                while IFS='' read -r typed_line; do typed+=("${typed_line}"); done < <(
                    "${COMP_WORDS[0]}" \(CompletionWords.option) "${COMP_CWORD}" \
        "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null
                )
                [[ "${#typed[@]}" -gt 0 ]] || return
                unset 'typed[${#typed[@]}-1]'
                case "${typed[0]}" in
                names)
                    COMPREPLY=($(compgen -W "${typed[*]:1}" -- "${2}"))
                    return
                    ;;
                words)
                    typed[1]="${COMP_WORDS[0]}"
                    COMP_WORDS=("${typed[@]:1}")
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                    COMP_LINE="${COMP_WORDS[*]}"
                    COMP_POINT="${#COMP_LINE}"
                    ;;
                esac
                ;;
            esac

        """
    }

    private static var zsh: String {
        """
            if [[ "${words[2]} ${words[3]} " == (-*|\(patterns)) ]]; then
                local -a typed
                typed=("${(@f)"$("${words[1]}" \(CompletionWords.option) "$((CURRENT - 1))" \
        "${(@)words[1,CURRENT]}" 2>/dev/null)"}")
                case "${typed[1]}" in
                names)
                    compadd -- "${(@)typed[2,-2]}"
                    return
                    ;;
                words)
                    words=("${words[1]}" "${(@)typed[3,-2]}")
                    CURRENT="${#words[@]}"
                    ;;
                esac
            fi

        """
    }

    /// Each of many conditions reads the words, so the converted words are kept until the line changes.
    private static var fish: String {
        """

        function __roost_converted
            set -l line (__roost_typed_tokens -pc) (__roost_typed_tokens -t)
            if test "$line" != "$__roost_converted_line"
                set -g __roost_converted_line "$line"
                set -l before (__roost_typed_tokens -pc)
                set -g __roost_converted_words (command $before[1] \(CompletionWords.option) \
        (count $before) $before "$(__roost_typed_tokens -t)" 2>/dev/null)
            end
            printf '%s\\n' $__roost_converted_words
        end

        function __roost_tokens
            set -l typed (__roost_typed_tokens $argv)
            set -l before (__roost_typed_tokens -pc)
            if contains -- "$argv" -p -pc
                and string match -qr '^(-|(\(starts)) |[^ ]+ (\(secondWords)) )' -- "$before[2] $before[3] "
                set -l converted (__roost_converted)
                if test "$converted[1]" = words
                    set typed $typed[1] $converted[3..-3]
                    if test "$argv" = -p; and test -n "$converted[-2]"
                        set -a typed $converted[-2]
                    end
                end
            end
            test (count $typed) -gt 0; and printf '%s\\n' $typed
        end

        function __roost_topics
            set -l converted (__roost_converted)
            test "$converted[1]" = names; and printf '%s\\n' $converted[2..-2]
        end

        complete -c 'roost' -n 'string match -q -- help (__roost_typed_tokens -pc)[2]' -fa '(__roost_topics)'

        """
    }
}
