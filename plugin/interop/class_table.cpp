#include "plugin/interop/class_table.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::interop {

namespace {

constexpr Bytes kLargestTable = 4 * kMiB;

[[noreturn]] void refuseRow(const std::string& where, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("the table of ComfyUI's classes: {} {}", where, problem),
                message("install the program again"));
}

std::string textAt(const Json& object, const char* key, const std::string& where) {
    const Json& member = memberIn(object, key);
    if (!member.is_null() && !member.is_string()) {
        refuseRow(where, message("has \"{}\" that is no text", key));
    }
    return member.is_null() ? std::string() : member.get<std::string>();
}

/// 0: there is none.
double numberAt(const Json& object, const char* key, const std::string& where) {
    const Json& member = memberIn(object, key);
    if (!member.is_null() && !member.is_number()) {
        refuseRow(where, message("has \"{}\" that is no number", key));
    }
    return member.is_null() ? 0 : member.get<double>();
}

/// A list of texts in which null is an empty one; a single text is a list of one.
std::vector<std::string> textsAt(const Json& object, const char* key, const std::string& where) {
    const Json& member = memberIn(object, key);
    if (member.is_string()) {
        return {member.get<std::string>()};
    }
    std::vector<std::string> texts;
    for (const Json& entry : member) {
        if (!entry.is_string() && !entry.is_null()) {
            refuseRow(where, message("has \"{}\" that is no list of texts", key));
        }
        texts.push_back(entry.is_null() ? std::string() : entry.get<std::string>());
    }
    return texts;
}

std::set<std::string> namesSetAt(const Json& object, const char* key, const std::string& where) {
    const std::vector<std::string> names = textsAt(object, key, where);
    return {names.begin(), names.end()};
}

std::map<std::string, std::string> namesAt(const Json& object,
                                           const char* key,
                                           const std::string& where) {
    std::map<std::string, std::string> names;
    for (const auto& [name, value] : memberIn(object, key).items()) {
        if (!value.is_string()) {
            refuseRow(where, message("has \"{}\" that is no object of texts", key));
        }
        names[name] = value.get<std::string>();
    }
    return names;
}

bool isListOfTexts(const Json& value) {
    return value.is_array() &&
           std::ranges::all_of(value, [](const Json& each) { return each.is_string(); });
}

bool isValueSpec(const Json& value) {
    return value.is_string() || isListOfTexts(value) || value.contains("is") ||
           memberIn(value, "expr").is_string() ||
           (memberIn(value, "from").is_string() && memberIn(value, "map").is_object());
}

/// The value with the map that it names in place.
Json withMap(const Json& value, const Json& maps) {
    const std::string name = textIn(value, "map");
    if (name.empty()) {
        return value;
    }
    Json with = value;
    with["map"] = memberIn(maps, name.c_str());
    return with;
}

std::map<std::string, Json> valuesOf(const Json& object,
                                     const Json& maps,
                                     const std::string& where) {
    std::map<std::string, Json> values;
    for (const auto& [name, value] : object.items()) {
        values[name] = withMap(value, maps);
        if (!isValueSpec(values[name])) {
            refuseRow(where, message("has a value of \"{}\" in no form of a value", name));
        }
    }
    return values;
}

RecipeNode recipeNodeFrom(const Json& json, const Json& maps, const std::string& where) {
    return {.name = textAt(json, "name", where),
            .type = textAt(json, "node", where),
            .inputs = namesAt(json, "in", where),
            .before = namesAt(json, "before", where),
            .fitted = namesAt(json, "fitted", where),
            .params = valuesOf(memberIn(json, "set"), maps, where)};
}

NearCase nearCaseFrom(const Json& json, const std::string& where) {
    NearCase made{.values = {}, .slot = std::nullopt, .why = textAt(json, "why", where)};
    for (const auto& [name, value] : json.items()) {
        if (name == "slot" && value.is_number_integer()) {
            made.slot = value.get<int>();
        } else if (name != "why") {
            if (!value.is_array()) {
                refuseRow(where, message("has \"near_with\" that is no list of values"));
            }
            made.values[name] = value;
        }
    }
    return made;
}

std::vector<NearCase> nearCasesAt(const Json& object, const std::string& where) {
    const Json& member = memberIn(object, "near_with");
    std::vector<NearCase> cases;
    for (const Json& entry : member.is_object() ? Json::array({member}) : member) {
        cases.push_back(nearCaseFrom(entry, where));
    }
    return cases;
}

std::optional<ApartOutput> apartFrom(const Json& json, const Json& maps, const std::string& where) {
    if (!json.is_object()) {
        return std::nullopt;
    }
    const Json& slot = memberIn(json, "slot");
    if (!slot.is_number_integer() || textIn(json, "name").empty()) {
        refuseRow(where, message("has \"apart\" without a slot or a name"));
    }
    return ApartOutput{.slot = slot.get<int>(),
                       .name = textAt(json, "name", where),
                       .params = valuesOf(memberIn(json, "set"), maps, where),
                       .near = nearCasesAt(json, where)};
}

Recipe recipeFrom(const Json& json, const Json& maps, const std::string& where) {
    if (!json.is_object()) {
        refuseRow(where, message("has a recipe that is no object"));
    }
    Recipe recipe{.when = textAt(json, "if", where),
                  .nodes = {},
                  .outputs = textsAt(json, "out", where),
                  .through = textsAt(json, "through", where),
                  .sees = namesAt(json, "sees", where),
                  .unread = namesSetAt(json, "unread", where),
                  .bare = namesSetAt(json, "bare", where),
                  .joins = textsAt(json, "join", where),
                  .port = textAt(json, "port", where),
                  .carries = namesAt(json, "carry", where),
                  .isSpread = memberIn(json, "spread") == true,
                  .settings = {},
                  .back = valuesOf(memberIn(json, "back"), maps, where),
                  .near = textAt(json, "near", where),
                  .nearWith = nearCasesAt(json, where),
                  .apart = apartFrom(memberIn(json, "apart"), maps, where)};
    if (json.contains("node")) {
        recipe.nodes.push_back(recipeNodeFrom(json, maps, where));
    }
    for (const Json& more : memberIn(json, "more")) {
        recipe.nodes.push_back(recipeNodeFrom(more, maps, where));
    }
    const Json& settings = memberIn(json, "settings");
    for (const Json& entry : settings.is_array() ? settings : Json::array({settings})) {
        if (!entry.is_null()) {
            recipe.settings.push_back(valuesOf(entry, maps, where));
        }
    }
    return recipe;
}

/// Words for words, the other way round; of several the first one.
Json invertedMap(const Json& map) {
    Json inverted = Json::object();
    for (const auto& [word, value] : map.items()) {
        if (const std::string key = wordOf(value); !inverted.contains(key)) {
            inverted[key] = word;
        }
    }
    return inverted;
}

std::map<std::string, Json> exportedValuesOf(const Json& object,
                                             const Json& maps,
                                             const std::string& where) {
    std::map<std::string, Json> values;
    for (const auto& [name, value] : object.items()) {
        Json with = withMap(value, maps);
        if (const std::string inverse = textIn(value, "inverse"); !inverse.empty()) {
            with["map"] = invertedMap(memberIn(maps, inverse.c_str()));
        }
        const bool isBounded =
            memberIn(with, "from").is_string() && memberIn(with, "least").is_number();
        if (!with.is_array() && !isBounded && !isValueSpec(with)) {
            refuseRow(where, message("has a value of \"{}\" in no form of a value", name));
        }
        values[name] = std::move(with);
    }
    return values;
}

ExportRule exportRuleFrom(const Json& json, const Json& maps, const std::string& where) {
    ExportRule rule{.isUsed = json != false,
                    .when = {},
                    .values = exportedValuesOf(memberIn(json, "set"), maps, where),
                    .inputs = namesAt(json, "in", where),
                    .again = {},
                    .againNear = memberIn(json, "again_near"),
                    .wires = namesAt(json, "wire", where),
                    .takes = namesAt(json, "takes", where),
                    .near = std::nullopt};
    if (memberIn(json, "near").is_string()) {
        rule.near = textAt(json, "near", where);
    }
    const Json& when = memberIn(json, "if");
    for (const auto& [name, endings] : when.items()) {
        rule.when[name] = textsAt(when, name.c_str(), where);
    }
    if (const std::string again = textIn(json, "again"); !again.empty()) {
        rule.again = namesAt(maps, again.c_str(), where);
    }
    return rule;
}

Widget widgetFrom(const Json& json, const std::string& where) {
    if (json.is_string()) {
        return {.name = json.get<std::string>(), .defaultValue = std::nullopt};
    }
    if (!json.is_array() || json.size() != 2 || !json[0].is_string()) {
        refuseRow(where, message("has a widget that is no name and no name with its default"));
    }
    return {.name = json[0].get<std::string>(), .defaultValue = json[1]};
}

template <class Value>
Value valueNamed(const std::string& name,
                 const std::map<std::string, Value>& values,
                 const std::string& where,
                 Message (*problem)(const std::string& quoted)) {
    const auto value = values.find(name);
    if (value == values.end()) {
        refuseRow(where, problem(quotedName(name)));
    }
    return value->second;
}

ModelRole modelRoleFrom(const std::string& name, const std::string& where) {
    static const std::map<std::string, ModelRole> kRoles = {
        {"", ModelRole::None},
        {"model", ModelRole::Model},
        {"text_encoder", ModelRole::TextEncoder},
        {"autoencoder", ModelRole::Autoencoder},
        {"image_encoder", ModelRole::ImageEncoder}};
    return valueNamed(name, kRoles, where, [](const std::string& quoted) {
        return message("has the role {}", quoted);
    });
}

VirtualKind virtualKindFrom(const std::string& name, const std::string& where) {
    static const std::map<std::string, VirtualKind> kKinds = {{"", VirtualKind::None},
                                                              {"note", VirtualKind::Note},
                                                              {"value", VirtualKind::Value},
                                                              {"reroute", VirtualKind::Reroute},
                                                              {"set", VirtualKind::Set},
                                                              {"get", VirtualKind::Get},
                                                              {"editor", VirtualKind::Editor}};
    return valueNamed(name, kKinds, where, [](const std::string& quoted) {
        return message("has the virtual kind {}", quoted);
    });
}

std::optional<WidgetObjects> widgetObjectsFrom(const Json& json, const std::string& where) {
    const std::vector<std::string> texts = textsAt(json, "objects", where);
    if (!texts.empty() && texts.size() != 2) {
        refuseRow(where, message("has \"objects\" that are no prefix and no member"));
    }
    return texts.empty() ? std::nullopt
                         : std::optional(WidgetObjects{.prefix = texts[0], .needed = texts[1]});
}

ClassRow classRowFrom(const Json& json, const Json& maps) {
    const std::string name = textAt(json, "class", "a row");
    if (name.empty()) {
        refuseRow("a row", message("has no \"class\""));
    }
    ClassRow row{.name = name,
                 .widgets = {},
                 .drawn = textsAt(json, "drawn", name),
                 .objects = widgetObjectsFrom(json, name),
                 .outputTypes = textsAt(json, "outputs", name),
                 .fold = textAt(json, "fold", name),
                 .virtualKind = virtualKindFrom(textAt(json, "virtual", name), name),
                 .absence = textAt(json, "absence", name),
                 .role = modelRoleFrom(textAt(json, "role", name), name),
                 .recipes = {},
                 .exported = exportRuleFrom(memberIn(json, "export"), maps, name)};
    for (const Json& widget : memberIn(json, "widgets")) {
        row.widgets.push_back(widgetFrom(widget, name));
    }
    const Json& recipes = memberIn(json, "as");
    for (const Json& recipe : recipes.is_object() ? Json::array({recipes}) : recipes) {
        row.recipes.push_back(recipeFrom(recipe, maps, name));
    }
    return row;
}

FamilyRow familyRowFrom(const Json& json) {
    const std::string id = textAt(json, "family", "a family");
    return {.id = id,
            .names = textsAt(json, "names", id),
            .runs = memberIn(json, "runs") == true,
            .skipsLayer = memberIn(json, "skips_layer") == true,
            .boundary = numberAt(json, "boundary", id)};
}

Json readTable(const std::string& path) {
    return parseJson(files::InputFile(path).readAll(kLargestTable), path);
}

}  // namespace

ClassTable::ClassTable(const Json& classes, const Json& families, const Json& maps) {
    for (const Json& json : classes) {
        ClassRow row = classRowFrom(json, maps);
        const std::string name = row.name;
        if (!rows_.emplace(name, std::move(row)).second) {
            refuseRow(name, message("has two rows"));
        }
    }
    for (const Json& json : families) {
        families_.push_back(familyRowFrom(json));
    }
}

const ClassRow* ClassTable::find(std::string_view name) const {
    const auto row = rows_.find(name);
    return row == rows_.end() ? nullptr : &row->second;
}

const FamilyRow* ClassTable::familyOf(std::string_view file) const {
    const std::string name = toLower(file);
    const FamilyRow* family = nullptr;
    size_t longest = 0;
    for (const FamilyRow& row : families_) {
        for (const std::string& part : row.names) {
            if (part.size() > longest && name.find(part) != std::string::npos) {
                family = &row;
                longest = part.size();
            }
        }
    }
    return family;
}

ClassTable readClassTable(const std::string& resourcesFolder) {
    const std::string folder = resourcesFolder + "/interop/";
    return ClassTable(readTable(folder + "classes.json"),
                      readTable(folder + "families.json"),
                      readTable(folder + "maps.json"));
}

}  // namespace lowtide::interop
