"""Compares the sections of source code with the declarations that tree-sitter finds.

Prints for each language the share of the declarations of at least three lines at which a section begins, and the
share of these sections whose heading contains the name of the declaration. A section may begin with the comments and
attributes before its declaration.

Usage: python3 code_symbols.py ROOST FILES... [--verbose] [--write SYMBOLS]
FILES are files of source code, or folders, which are searched. Requires tree-sitter-language-pack.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlparse

from tree_sitter_language_pack import get_parser

MINIMUM_LINES = 3

JAVASCRIPT = "function_declaration generator_function_declaration method_definition !class_declaration"
TYPESCRIPT = JAVASCRIPT + " !abstract_class_declaration !class !interface_declaration enum_declaration " \
    "type_alias_declaration !module !internal_module"

# The grammar of each language, and the types of nodes that are declarations. The contents of types with an exclamation
# mark are searched for declarations.
LANGUAGES = {
    "c": ("c", "function_definition struct_specifier enum_specifier union_specifier"),
    "cpp": ("cpp", "function_definition !struct_specifier !class_specifier enum_specifier !union_specifier "
            "!namespace_definition"),
    "csharp": ("csharp", "!namespace_declaration !class_declaration !struct_declaration !record_declaration "
               "!interface_declaration enum_declaration method_declaration constructor_declaration "
               "destructor_declaration operator_declaration conversion_operator_declaration indexer_declaration "
               "property_declaration"),
    "objectivec": ("objc", "!protocol_declaration !class_interface !class_implementation method_definition "
                   "function_definition"),
    "java": ("java", "!class_declaration !interface_declaration !enum_declaration !record_declaration "
             "annotation_type_declaration method_declaration constructor_declaration compact_constructor_declaration"),
    "kotlin": ("kotlin", "!class_declaration !object_declaration !companion_object function_declaration "
               "secondary_constructor"),
    "scala": ("scala", "!class_definition !object_definition !trait_definition !enum_definition function_definition"),
    "swift": ("swift", "!class_declaration !protocol_declaration function_declaration init_declaration "
              "deinit_declaration subscript_declaration"),
    "go": ("go", "function_declaration method_declaration type_declaration"),
    "rust": ("rust", "function_item struct_item enum_item union_item !trait_item !impl_item !mod_item "
             "macro_definition"),
    "zig": ("zig", ""),
    "python": ("python", "function_definition !class_definition"),
    "ruby": ("ruby", "!module !class method singleton_method"),
    "perl": ("perl", "subroutine_declaration_statement"),
    "php": ("php", "!class_declaration !interface_declaration !trait_declaration !enum_declaration "
            "function_definition method_declaration"),
    "javascript": ("javascript", JAVASCRIPT),
    "typescript": ("typescript", TYPESCRIPT),
    "vue": ("vue", ""),
    "svelte": ("svelte", ""),
    "lua": ("lua", "function_declaration"),
    "r": ("r", ""),
    "julia": ("julia", "!module_definition function_definition macro_definition struct_definition"),
    "haskell": ("haskell", "data_type newtype !class !instance function"),
    "ocaml": ("ocaml", "value_definition type_definition module_type_definition !module_definition class_definition"),
    "elixir": ("elixir", ""),
    "erlang": ("erlang", "fun_decl record_decl"),
    "clojure": ("clojure", ""),
    "shell": ("bash", "function_definition"),
    "sql": ("sql", ""),
    "css": ("css", "rule_set media_statement keyframes_statement"),
}

# Nodes around declarations that belong to them.
WRAPPERS = {"export_statement", "decorated_definition", "template_declaration", "type_definition", "declaration",
            "field_declaration", "friend_declaration", "implementation_definition", "ambient_declaration",
            "expression_statement", "macrocall_expression", "macro_argument_list", "property_declaration"}
# Nodes before declarations that belong to them.
LEADING = re.compile("comment|haddock|attribute|annotation|decorator|directive|pod$|^signature$|^spec$|"
                     "access_specifier|unary_operator|^string_literal$")
# Nodes whose contents are code and not declarations.
BODIES = {"block", "statement_block", "compound_statement", "arguments", "argument_list", "parameters",
          "lambda_literal", "expression_list", "lambda_expression", "dictionary_literal", "object",
          "variable_declarator", "object_creation_expression", "enum_constant", "enum_entry", "call_expression",
          "assignment_expression"}

# The names of declarations whose nodes have none.
UNNAMED = {"subscript_declaration": "subscript", "indexer_declaration": "this", "operator_declaration": "operator",
           "conversion_operator_declaration": "operator"}

DEFINITIONS = re.compile(r"(defmodule|defprotocol|defimpl)$")
FUNCTIONS = re.compile(r"(def|defp|defmacro|defmacrop|test)$")


class Symbol:
    """A declaration: its name, its first line, and the line after the end of the node before it."""

    def __init__(self, name, line, earliest, kind):
        self.name, self.line, self.earliest, self.kind = name, line, earliest, kind


def text(node):
    return node.text.decode("utf-8", "replace")


def name_of(node):
    """Returns the name that a declaration states, or an empty string."""
    if node.type in UNNAMED:
        return UNNAMED[node.type]
    if node.type == "impl_item":
        return text(node.child_by_field_name("type"))
    for field in ("name", "declarator", "pattern", "left", "lhs", "target", "variable"):
        child = node.child_by_field_name(field)
        if child is not None:
            inner = name_of(child)
            return inner or text(child)
    for child in node.children:
        if re.search("_binding$|^function_clause$|^type_head$|^signature$|^call_expression$", child.type):
            return name_of(child)
        if re.search("^(?!macro).*identifier$|^constant$|^name$|^word$|^selectors$|^variable$|_name$", child.type):
            return text(child)
    return ""


def classify(node, language):
    """Returns the name of the declaration that a node is, and whether it can contain others; None for other nodes."""
    kinds = dict((kind.lstrip("!"), kind.startswith("!")) for kind in LANGUAGES[language][1].split())
    if node.type in kinds:
        has_body = node.child_by_field_name("body") is not None or not node.type.endswith("_specifier")
        return (name_of(node), kinds[node.type]) if has_body and node.is_named else None
    if language == "elixir" and node.type == "call" and node.children[0].type == "identifier":
        keyword, arguments = text(node.children[0]), node.children[1] if len(node.children) > 1 else node
        if DEFINITIONS.match(keyword) or FUNCTIONS.match(keyword):
            return (re.split(r"[ (,\n]", text(arguments).strip('"('))[0], bool(DEFINITIONS.match(keyword)))
    if language == "clojure" and node.type == "list_lit":
        words = [text(child) for child in node.children if child.type == "sym_lit"]
        if words and words[0].startswith("def"):
            return (words[1] if len(words) > 1 else "", False)
    if language == "sql" and node.type == "statement" and node.children[0].type.startswith("create_"):
        match = re.match(r"(?is)create\s+(?:or\s+replace\s+|unique\s+)*\w+\s+(?:if\s+not\s+exists\s+)?(\w+)",
                         text(node))
        return (match.group(1), False) if match else None
    if language == "zig" and node.type in ("Decl", "TestDecl"):
        match = re.search(r"(?s)\b(?:fn|test)\s+\"?(\w[\w ]*)|const (\w+) = (?:extern |packed )?(struct|enum|union)\b",
                          text(node))
        return ((match.group(1) or match.group(2)).strip(), match.group(3) is not None) if match else None
    if language in ("r", "lua", "javascript", "typescript", "perl"):
        return assigned_function(node)
    return None


def assigned_function(node):
    """Returns the name to which a statement assigns a function; None for other nodes."""
    if node.type not in ("binary_operator", "variable_declaration", "assignment_statement", "lexical_declaration"):
        return None
    match = re.match(r"(?:local |const |let |var )?([\w.`%+]+)(?: *:[^=]*)?\s*(?:<-|=)\s*"
                     r"(?:function\b|async\b|\(.*?\)\s*(?::[^=]*)?=>|<.*?>\()", text(node), re.S)
    return (match.group(1), False) if match else None


def symbols(node, language, found, earliest=1, offset=0):
    """Appends the declarations within a node."""
    previous = earliest
    for child in node.children:
        if not child.is_named:
            continue
        core = child
        while classify(core, language) is None and core.type in WRAPPERS:
            inner = [part for part in core.children if part.type in WRAPPERS or classify(part, language) is not None]
            if not inner:
                break
            core = inner[-1]
        result = classify(core, language)
        if result is not None and result[0] == "()":
            # In OCaml, `let () = …` is a statement.
            result = None
        first, last = child.start_point[0] + 1, child.end_point[0] + 1
        if result is not None:
            # The name of an operator is in parentheses in some languages.
            name = result[0] if result[0] and "{" not in result[0] else name_of(child)
            name = name.strip("() ")
            if last - first + 1 >= MINIMUM_LINES:
                found.append(Symbol(name, first + offset, previous + offset, core.type))
            if result[1]:
                for part in core.children:
                    if part.type in BODIES:
                        symbols(part, language, found, core.start_point[0] + 1, offset)
                symbols(core, language, found, core.start_point[0] + 1, offset)
        elif child.type not in BODIES:
            symbols(child, language, found, first, offset)
        if not LEADING.search(child.type):
            # A node that ends with its line break ends on the line before.
            previous = max(previous, last if child.end_point[1] > 0 else last - 1)


def page_symbols(source, found):
    """Appends the declarations in the scripts of a page."""
    for match in re.finditer(rb"(?s)<script([^>]*)>(.*?)</script>", source):
        language = "typescript" if b"ts" in match.group(1) else "javascript"
        tree = get_parser(LANGUAGES[language][0]).parse(match.group(2))
        symbols(tree.root_node, language, found, 1, source[:match.start(2)].count(b"\n"))


def compare(entry, counts, verbose):
    """Compares the sections of a file with its declarations, and returns the declarations."""
    path = unquote(urlparse(entry["source"]).path)
    language, found, source = entry["reader"], [], Path(path).read_bytes()
    if language in ("vue", "svelte"):
        page_symbols(source, found)
    else:
        symbols(get_parser(LANGUAGES[language][0]).parse(source).root_node, language, found)
    for symbol in found:
        counts[language, "all"] += 1
        before = [section for section in entry["sections"] if section["headings"] and section["line"] <= symbol.line]
        starts = [section for section in before if symbol.earliest <= section["line"]]
        # Adjacent declarations with the same name can be one section.
        if any(is_named(section["headings"][-1], symbol.name) for section in starts or before[-1:]):
            continue
        if not symbol.name and starts:
            continue
        counts[language, "renamed" if starts else "missed"] += 1
        if verbose:
            names = ["/".join(section["headings"]) for section in starts]
            print(f"{path}:{symbol.line}: {symbol.kind} {symbol.name!r} {names or 'missed'}")
    return path, found


def is_named(heading, name):
    """Returns whether a heading is the name of a declaration, or has one of its words."""
    words = set(re.findall(r"\w+", name.lower()))
    return bool(name) and name.strip() in heading or bool(words & set(re.findall(r"\w+", heading.lower())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roost")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--verbose", action="store_true", help="list the declarations that differ")
    parser.add_argument("--write", metavar="SYMBOLS", help="write the declarations to a file, as JSON")
    arguments = parser.parse_args()
    counts, declarations = Counter(), {}
    with tempfile.TemporaryDirectory() as folder:
        def roost(*command):
            output = subprocess.run([arguments.roost, *command, "--store", folder + "/store", "--quiet"],
                                    check=True, capture_output=True, text=True)
            return output.stdout

        subprocess.run([arguments.roost, "init", folder + "/store", "--model", "lexical", "--quiet"], check=True)
        roost("ingest", *arguments.files)
        for entry in json.loads(roost("list", "--json", "--limit", "1000000")):
            entry = json.loads(roost("show", entry["id"], "--json"))
            # A file that was divided into several entries is not compared.
            if entry["reader"] in LANGUAGES and entry["key"] == "file":
                path, found = compare(entry, counts, arguments.verbose)
                declarations[Path(path).name] = [
                    {"name": symbol.name, "line": symbol.line, "earliestLine": symbol.earliest} for symbol in found]
    if arguments.write:
        Path(arguments.write).write_text(json.dumps(declarations, indent=1, sort_keys=True) + "\n")
    languages = sorted({language for language, _ in counts})
    for language in languages + ["all"]:
        total, missed, renamed = (
            sum(count for (name, kind), count in counts.items() if kind == wanted and language in (name, "all"))
            for wanted in ("all", "missed", "renamed"))
        share = (total - missed) / max(1, total)
        named = (total - missed - renamed) / max(1, total - missed)
        print(f"{language:12} {total:6} declarations, {share:.3f} found, {named:.3f} of them by name")


main()
