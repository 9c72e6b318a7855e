#include "plugin/interop/translate.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/graph_draft.hpp"
#include "plugin/interop/json_members.hpp"
#include "plugin/interop/known_files.hpp"
#include "plugin/interop/model_parts.hpp"
#include "plugin/interop/recipe_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace lowtide::interop {

namespace {

constexpr const char* kImageLoader = "load.image";
constexpr const char* kVideoLoader = "load.video";
constexpr const char* kNoFile = "None";  ///< in lists of files of other packs
constexpr const char* kPromptType = "CONDITIONING";
constexpr size_t kLongestSetting = 1000;

/// Whole numbers that were written as real ones, and numbers that stand for a text.
Json fitted(const ParamDesc& param, const Json& value) {
    const bool wantsWhole = param.kind == ParamKind::Int || param.kind == ParamKind::Seed;
    if (wantsWhole && value.is_number_float()) {
        const double real = value.get<double>();
        constexpr double kExact = 9007199254740992;  // 2^53
        if (std::abs(real) <= kExact && real == std::floor(real)) {
            return static_cast<int64_t>(real);
        }
    }
    if (param.kind == ParamKind::Text && value.is_number()) {
        return value.dump();
    }
    return value;
}

Message reasonOfPlaceholder(const std::string& type, const ClassRow* row) {
    if (row != nullptr && !row->absence.empty()) {
        return Message(row->absence);
    }
    const bool isGroupNode = type.starts_with("workflow>") || type.starts_with("workflow/");
    return isGroupNode ? message(
                             "it is a group node of an older ComfyUI: convert it to a subgraph "
                             "there, and save the workflow again")
                       : message("no node here stands for it");
}

/// One translation.
class Translator {
public:
    Translator(Prompt prompt, const ImportNeeds& needs)
        : prompt_(std::move(prompt)), needs_(needs), draft_(needs.catalog, prompt_) {}

    Imported translate() {
        for (const FoldedNode& node : foldPrompt(prompt_, needs_.table, needs_.imageSize)) {
            report_.exact.push_back({.id = node.id, .name = node.type});
        }
        negatives_.emplace(prompt_);  // as its values are now
        parts_ = modelsOfParts(prompt_, needs_.table);
        takeCheckpoints();
        noteSlots();
        for (const std::string& id : inOrder(prompt_)) {
            translateNode(id, prompt_.nodes.at(id));
        }
        draft_.settleCopies();
        addParts();
        reportOpenInputs();
        spreadMissing();
        reportLeftOut();
        reportOutputs();
        Imported imported{.document = draft_.take(), .report = std::move(report_)};
        addCanvasParts(prompt_, origins_, groupsUsed_, imported.document);
        return imported;
    }

private:
    [[nodiscard]] const ClassRow* rowOf(const std::string& id) const {
        const auto node = prompt_.nodes.find(id);
        return node == prompt_.nodes.end() ? nullptr : needs_.table.find(node->second.type);
    }

    [[nodiscard]] const Recipe* recipeFor(const std::string& id) const {
        const ClassRow* row = rowOf(id);
        const PromptNode& node = prompt_.nodes.at(id);
        const Recipe* found = nullptr;
        for (size_t i = 0; row != nullptr && i < row->recipes.size(); ++i) {
            const Recipe& recipe = row->recipes[i];
            const auto input = node.inputs.find(recipe.when);
            if (recipe.when == kOfCheckpoint && checkpoints_.contains(id)) {
                return &recipe;
            }
            if (recipe.when.empty() || (input != node.inputs.end() && input->second.from)) {
                found = found == nullptr ? &recipe : found;
            }
        }
        return found;
    }

    void takeCheckpoints() {
        CheckpointModels models = joinCheckpoints(prompt_, needs_.table, parts_);
        checkpoints_ = std::move(models.checkpoints);
        for (const auto& [id, node] : models.joined) {
            reportNode(id, node);
        }
    }

    void translateNode(const std::string& id, const PromptNode& node) {
        whys_.clear();
        const ClassRow* row = needs_.table.find(node.type);
        const Recipe* recipe = recipeFor(id);
        CarriedInputs inputs = inputsOf(node);
        if (recipe == nullptr || !isKnown(*recipe)) {
            addPlaceholder(id, node, inputs);
            return;
        }
        takeBare(*recipe, inputs);
        if (!recipe->near.empty()) {
            // The language files have it: check_translations.py reads the table.
            whys_.emplace_back(MessageParts{.format = recipe->near});
        }
        if (!node.unnamed.empty()) {
            whys_.push_back(plural(static_cast<int64_t>(node.unnamed.size()),
                                   "{} value of it has no name and is left out",
                                   "{} values of it have no name and are left out",
                                   node.unnamed.size()));
        }
        noteUnevenPrompts(node, *recipe, inputs);
        take(differentlySeen(*recipe, inputs, hasImageEncoder(*recipe, inputs)));
        take(strayMasks(*recipe, inputs));
        take(unreadWires(*row, *recipe, inputs));
        const bool isPart = row->role != ModelRole::None && row->role != ModelRole::Model;
        if (isPart) {
            addPart(id, node, *row, *recipe, inputs);
        } else {
            addNodes(id, node, *recipe, inputs);
            addApart(id, node, *recipe);
            addOutputs(id, node, *row, *recipe, inputs);
        }
        values_.noteDifferences(
            node, *row, *recipe, draft_.contains(id) ? draft_.params(id) : Json(), slotsUsed_[id]);
        reportNode(id, node);
    }

    void takeBare(const Recipe& recipe, CarriedInputs& inputs) {
        for (const std::string& name : recipe.bare) {
            const auto carried = inputs.find(name);
            if (carried != inputs.end() && carried->second.wire) {
                carried->second = {.wire = draft_.firstPrompt(*carried->second.wire),
                                   .settings = {},
                                   .wires = {},
                                   .isMissing = carried->second.isMissing};
            }
        }
    }

    /// Our nodes give what rides on prompts to all of them.
    void noteUnevenPrompts(const PromptNode& node,
                           const Recipe& recipe,
                           const CarriedInputs& inputs) {
        const bool isPositiveAlone = negatives_->isLeftOut(node);
        CarriedInputs prompts;
        for (const auto& [name, carried] : inputs) {
            if (isPrompt(carried) && !recipe.bare.contains(name) &&
                !(name == "negative" && isPositiveAlone)) {
                prompts[name] = carried;
            }
        }
        take(unevenPrompts(prompts));
    }

    void take(const std::vector<Message>& whys) {
        whys_.insert(whys_.end(), whys.begin(), whys.end());
    }

    /// Whether the image encoder of the node's model is given the images here.
    [[nodiscard]] bool hasImageEncoder(const Recipe& recipe, const CarriedInputs& inputs) const {
        const auto isWired = [&](const auto& entry) { return inputs.contains(entry.first); };
        const auto isJoined = [&](const auto& part) {
            const ClassRow* row = rowOf(part.first);
            return row != nullptr && row->role == ModelRole::ImageEncoder &&
                   std::ranges::any_of(inputs, [&](const auto& input) {
                       return input.second.wire &&
                              std::ranges::find(part.second, input.second.wire->node) !=
                                  part.second.end();
                   });
        };
        return std::ranges::any_of(recipe.sees, isWired) || std::ranges::any_of(parts_, isJoined);
    }

    [[nodiscard]] bool isPrompt(const Carried& carried) const {
        return carried.wire && draft_.typeOf(*carried.wire) == kPromptType;
    }

    [[nodiscard]] bool isKnown(const Recipe& recipe) const {
        return std::ranges::all_of(recipe.nodes, [&](const RecipeNode& each) {
            return needs_.catalog.find(each.type) != nullptr;
        });
    }

    CarriedInputs inputsOf(const PromptNode& node) {
        CarriedInputs inputs;
        for (const auto& [name, input] : node.inputs) {
            if (!input.from) {
                continue;
            }
            const auto source = outputs_.find(*input.from);
            if (source != outputs_.end()) {
                inputs[name] = source->second;
            } else {
                whys_.push_back(message("input {} is wired to {}, which is not there",
                                        quotedName(name),
                                        quotedName(input.from->node)));
            }
        }
        return inputs;
    }

    // Nodes that nothing stands for

    void addPlaceholder(const std::string& id,
                        const PromptNode& node,
                        const CarriedInputs& inputs) {
        graph::DocumentNode placeholder;
        placeholder.type = kPlaceholderPrefix + node.type;
        placeholder.position = node.position;
        for (const auto& [name, input] : node.inputs) {
            if (!input.from) {
                placeholder.params[name] = input.value;
            }
        }
        if (!node.unnamed.empty()) {
            placeholder.params["widgets_values"] = node.unnamed;
        }
        putNode(id, node, std::move(placeholder));
        for (const auto& [name, carried] : inputs) {
            if (carried.wire) {
                draft_.link(*carried.wire, {id, name});
            }
        }
        for (const int slot : slotsUsed_[id]) {
            outputs_[{id, slot}] = {.wire = graph::PortRef{id, "output_" + std::to_string(slot)},
                                    .settings = {},
                                    .wires = {},
                                    .isMissing = true};
        }
        missing_.insert(id);
        report_.missing.push_back(
            {.id = id,
             .name = node.type,
             .title = node.title,
             .why = {reasonOfPlaceholder(node.type, needs_.table.find(node.type))}});
    }

    void noteSlots() {
        for (const auto& [id, node] : prompt_.nodes) {
            // What takes another output of the node that encoded it has that setting, too.
            const Recipe* recipe = recipeFor(id);
            const bool isOther = recipe != nullptr && !recipe->port.empty();
            for (const auto& [name, input] : node.inputs) {
                if (input.from) {
                    slotsUsed_[input.from->node].insert(input.from->slot);
                    uses_[*input.from] += isOther ? 0 : 1;
                }
            }
        }
    }

    // Nodes that a recipe makes

    void putNode(const std::string& id, const PromptNode& from, graph::DocumentNode node) {
        if (!from.title.empty() && from.title != from.type) {
            node.title = from.title;
        }
        if (!from.group.empty()) {
            node.extra["group"] = from.group;
            groupsUsed_.insert(from.group);
        }
        draft_.put(id, from.type, std::move(node));
    }

    void addNodes(const std::string& id,
                  const PromptNode& node,
                  const Recipe& recipe,
                  const CarriedInputs& inputs) {
        const Carried all = merged(inputs);
        double cascade = 0;
        for (const RecipeNode& each : recipe.nodes) {
            const NodeDesc& desc = *needs_.catalog.find(each.type);
            const std::string own = draft_.idOf(id, each.name);
            graph::DocumentNode made;
            made.type = desc.id;
            made.version = desc.version;
            made.position = movedDown(node.position, cascade);
            cascade += kCascade;
            putNode(own, node, std::move(made));
            for (const bool isSwitch : {true, false}) {  // a file that is off may lack
                for (const auto& [param, spec] : each.params) {
                    if (param.starts_with("use_") == isSwitch) {
                        setFrom(own, desc, param, spec, node);
                    }
                    if (spec.is_string() && graph::findParam(desc, param) != nullptr) {
                        origins_[{id, spec.get<std::string>()}] = {own, param};
                    }
                }
            }
            addCheckpoint(id, own, desc);
            for (const auto& [param, value] : all.settings) {
                if (!each.params.contains(param) && graph::findParam(desc, param) != nullptr) {
                    setParam(own, desc, param, value);
                }
            }
            wire(id, own, desc, each, inputs, all);
            if (all.isMissing) {
                missing_.insert(own);
            }
        }
    }

    /// What the loader of the checkpoint has that the model is run with.
    void addCheckpoint(const std::string& id, const std::string& own, const NodeDesc& desc) {
        const auto checkpoint = checkpoints_.find(id);
        if (checkpoint == checkpoints_.end()) {
            return;
        }
        const ClassRow& row = *needs_.table.find(checkpoint->second.type);
        for (const auto& [param, spec] : row.recipes.front().nodes.front().params) {
            setFrom(own, desc, param, spec, checkpoint->second);
        }
    }

    /// An output that other parameters give: of a second node, or of the first one where no other
    /// output is wired.
    void addApart(const std::string& id, const PromptNode& node, const Recipe& recipe) {
        const std::set<int>& slots = slotsUsed_[id];
        if (!recipe.apart || !slots.contains(recipe.apart->slot) ||
            hasParams(id, recipe.apart->params, node)) {
            return;
        }
        std::string own = id;
        if (slots.size() > 1) {
            own = draft_.idOf(id, recipe.apart->name);
            draft_.copy(id, own);
        }
        for (const auto& [param, spec] : recipe.apart->params) {
            setFrom(own, *draft_.descOf(own), param, spec, node);
        }
        if (missing_.contains(id)) {
            missing_.insert(own);
        }
        apart_[{id, recipe.apart->slot}] = own;
        values_.noteNear(recipe.apart->near, draft_.params(id), slots);
    }

    [[nodiscard]] bool hasParams(const std::string& own,
                                 const std::map<std::string, Json>& params,
                                 const PromptNode& node) {
        const NodeDesc& desc = *draft_.descOf(own);
        return std::ranges::all_of(params, [&](const auto& entry) {
            const ParamDesc* param = graph::findParam(desc, entry.first);
            const std::optional<Json> wanted = values_.from(entry.second, node);
            const Json& given = memberIn(draft_.params(own), entry.first.c_str());
            return param == nullptr || !wanted ||
                   (given.is_null() ? graph::toJson(param->defaultValue) : given) == *wanted;
        });
    }

    void wire(const std::string& id,
              const std::string& own,
              const NodeDesc& desc,
              const RecipeNode& recipe,
              const CarriedInputs& inputs,
              const Carried& all) {
        for (const auto& [port, source] : recipe.inputs) {
            const auto carried = inputs.find(source);
            if (source.starts_with('@')) {
                draft_.link(portOf(id, source), {own, port});
            } else if (carried != inputs.end() && carried->second.wire) {
                draft_.link(*carried->second.wire, {own, port});
            }
        }
        for (const auto& [image, model] : recipe.fitted) {
            draft_.fit({own, image}, {own, model});
        }
        for (const auto& [port, source] : recipe.before) {
            const auto carried = inputs.find(source);
            const std::optional<graph::PortRef> wire =
                carried == inputs.end() || !carried->second.wire
                    ? std::nullopt
                    : draft_.sourceBefore(*carried->second.wire, port);
            if (wire) {
                draft_.link(*wire, {own, port});
            } else {
                whys_.push_back(message("no node before it has the input {}", quotedName(port)));
            }
        }
        for (const auto& [port, source] : all.wires) {
            if (!recipe.inputs.contains(port) && graph::findInput(desc, port) != nullptr) {
                draft_.link(source.from, {own, port});
            }
        }
    }

    /// "@name.port" of the nodes of one recipe.
    graph::PortRef portOf(const std::string& id, const std::string& reference) {
        const size_t dot = reference.find('.');
        const std::string name = reference.substr(1, dot - 1);
        return {draft_.idOf(id, name), reference.substr(dot + 1)};
    }

    // Values

    void setFrom(const std::string& own,
                 const NodeDesc& desc,
                 std::string param,
                 const Json& spec,
                 const PromptNode& node) {
        const bool isOptional = param.ends_with('?');
        if (isOptional) {
            param.pop_back();
        }
        const ParamDesc* known = graph::findParam(desc, param);
        if (isOptional && (known == nullptr || !accepts(*known, spec))) {
            return;
        }
        if (const std::optional<Json> value = values_.from(spec, node)) {
            setParam(own, desc, param, *value);
        }
    }

    static bool accepts(const ParamDesc& param, const Json& spec) {
        return !spec.is_object() || !spec.contains("is") ||
               std::holds_alternative<Scalar>(graph::checkParam(param, spec["is"]));
    }

    void setParam(const std::string& own,
                  const NodeDesc& desc,
                  const std::string& param,
                  const Json& given) {
        const ParamDesc* known = graph::findParam(desc, param);
        if (known == nullptr) {
            whys_.push_back(
                message("this version has no parameter {} of {}", quotedName(param), desc.label));
            return;
        }
        Json value = fitted(*known, given);
        if (known->kind == ParamKind::File && value == kNoFile) {
            return;
        }
        if (known->kind == ParamKind::File && value.is_string()) {
            const std::optional<std::string> file =
                fileFor(own, desc, param, value.get<std::string>());
            if (!file) {
                return;
            }
            value = *file;
        }
        if (param == "prefix" && value.is_string() && leavesFolder(value.get<std::string>())) {
            whys_.push_back(message("{} leads out of the folder for images, the default is taken",
                                    quotedName(value.get<std::string>())));
            return;
        }
        const graph::ParamCheck check = graph::checkParam(*known, value);
        if (const auto* refusal = std::get_if<graph::ParamRefusal>(&check)) {
            whys_.push_back(message("{} {}; the default is taken", known->label, refusal->reason));
            return;
        }
        draft_.params(own)[param] = std::move(value);
    }

    // Files

    std::optional<std::string> fileFor(const std::string& own,
                                       const NodeDesc& desc,
                                       const std::string& param,
                                       const std::string& named) {
        const bool isModel = desc.id != kImageLoader && desc.id != kVideoLoader;
        const std::string name = plainFileName(named);
        if (name.empty()) {
            return std::nullopt;
        }
        if (leavesFolder(name)) {
            lack(own, name, isModel, message("it leads out of the folder of such files"));
            return std::nullopt;
        }
        if (isModel && param != kAutoencoderParam) {
            checkFamily(own, name);
        }
        if (!needs_.findFile) {
            return name;
        }
        const std::optional<std::string> found = needs_.findFile(name, isModel);
        const bool isOff =
            param.starts_with("file_") &&
            memberIn(draft_.params(own), ("use_" + param.substr(5)).c_str()) == false;
        if (!found && !isOff) {
            lack(own, name, isModel, message("it is in none of the folders"));
        }
        return found.value_or(name);
    }

    void lack(const std::string& own, const std::string& name, bool isModel, Message why) {
        const std::string base = name.substr(name.rfind('/') + 1);
        const auto source = prompt_.models.find(base);
        report_.missing.push_back(
            {.kind = isModel ? "model" : "file",
             .id = own,
             .name = name,
             .why = {std::move(why)},
             .url = source == prompt_.models.end() ? std::string() : source->second.url});
        missing_.insert(own);
    }

    void checkFamily(const std::string& own, const std::string& file) {
        const ClassRow* row = rowOf(own);
        const FamilyRow* family =
            row != nullptr && row->role == ModelRole::Model ? needs_.table.familyOf(file) : nullptr;
        if (family == nullptr || family->runs) {
            return;
        }
        report_.missing.push_back({.kind = "family",
                                   .id = own,
                                   .name = family->id,
                                   .title = file,
                                   .why = {message("models of this family do not run here")}});
        missing_.insert(own);
    }

    // Outputs

    void addOutputs(const std::string& id,
                    const PromptNode& node,
                    const ClassRow& row,
                    const Recipe& recipe,
                    const CarriedInputs& inputs) {
        const size_t count =
            std::max({row.outputTypes.size(), recipe.outputs.size(), recipe.through.size()});
        for (size_t slot = 0; slot < count; ++slot) {
            outputs_[{id, static_cast<int>(slot)}] = outputOf(id, node, recipe, inputs, slot);
        }
    }

    Carried outputOf(const std::string& id,
                     const PromptNode& node,
                     const Recipe& recipe,
                     const CarriedInputs& inputs,
                     size_t slot) {
        Carried output;
        if (slot < recipe.through.size() && !recipe.through[slot].empty()) {
            const auto source = inputs.find(recipe.through[slot]);
            output = source == inputs.end() ? Carried() : source->second;
            for (const std::string& name : recipe.joins) {
                if (const auto joined = inputs.find(name); joined != inputs.end()) {
                    mergeInto(output, joined->second);
                }
            }
        } else if (recipe.through.empty() && recipe.nodes.empty()) {
            output = merged(inputs);
        }
        if (!recipe.nodes.empty()) {
            output.isMissing =
                output.isMissing || missing_.contains(draft_.idOf(id, recipe.nodes[0].name));
        }
        if (slot < recipe.outputs.size() && !recipe.outputs[slot].empty()) {
            const std::string& port = recipe.outputs[slot];
            const auto apart = apart_.find({id, static_cast<int>(slot)});
            output.wire = port.starts_with('@')   ? portOf(id, port)
                          : apart != apart_.end() ? graph::PortRef{apart->second, port}
                                                  : graph::PortRef{id, port};
        }
        takePort(recipe, output);
        carry(id, recipe, inputs, output);
        addSettings(id, node, recipe, slot, output);
        return output;
    }

    /// Of a conditioning that is joined or restricted, the output of the node that encoded its
    /// first prompt.
    void takePort(const Recipe& recipe, Carried& output) {
        if (recipe.port.empty() || !output.wire) {
            return;
        }
        const auto encoded = draft_.encoded(*output.wire, recipe.port);
        if (encoded && encoded->node != output.wire->node) {
            whys_.push_back(message("what joins or restricts the prompt is left out"));
        }
        output.wire = encoded ? encoded : output.wire;
    }

    void carry(const std::string& id,
               const Recipe& recipe,
               const CarriedInputs& inputs,
               Carried& output) {
        for (const auto& [port, source] : recipe.carries) {
            if (source.starts_with('@')) {
                output.wires[port] = {.from = portOf(id, source), .isSpread = recipe.isSpread};
                continue;
            }
            const auto carried = inputs.find(source);
            if (carried == inputs.end()) {
                continue;
            }
            mergeInto(output, carried->second);
            if (carried->second.wire) {
                output.wires[port] = {.from = *carried->second.wire, .isSpread = recipe.isSpread};
            }
        }
    }

    void addSettings(const std::string& id,
                     const PromptNode& node,
                     const Recipe& recipe,
                     size_t slot,
                     Carried& output) {
        if (!recipe.settings.empty()) {
            const std::map<std::string, Json> before = output.settings;
            const size_t index = recipe.settings.size() == 1 ? 0 : slot;
            if (index < recipe.settings.size()) {
                for (const auto& [param, spec] : recipe.settings[index]) {
                    std::optional<Json> value = values_.from(spec, node, before);
                    if (value && wordOf(*value).size() > kLongestSetting) {
                        whys_.push_back(message("the value of {} is too long; the default is taken",
                                                quotedName(param)));
                    } else if (value) {
                        output.settings[param] = std::move(*value);
                    }
                }
            }
        }
        if (slot == 0 && output.wire) {
            for (const auto& [param, spec] : recipe.back) {
                if (const std::optional<Json> value = values_.from(spec, node)) {
                    output.wire = setBehind(id, *output.wire, param, *value, node);
                }
            }
        }
    }

    /// The wire of the nearest nodes with that parameter, on each way towards the loader. Prompts
    /// that are used elsewhere, too, are encoded once more.
    graph::PortRef setBehind(const std::string& id,
                             const graph::PortRef& wire,
                             const std::string& param,
                             const Json& value,
                             const PromptNode& node) {
        const bool isOfPrompt = draft_.typeOf(wire) == kPromptType;
        const bool isShared = isUsedElsewhere(node, isOfPrompt ? kPromptType : "MODEL");
        const bool isCopied = isShared && isOfPrompt && draft_.nodes().size() < kMostPromptNodes;
        const GraphDraft::Owners owners = draft_.ownersOf(param, wire, isCopied ? id : "");
        for (const std::string& own : owners.nodes) {
            setParam(own, *draft_.descOf(own), param, value);
        }
        for (const auto& [copied, copy] : owners.copies) {
            if (missing_.contains(copied)) {
                missing_.insert(copy);
            }
        }
        if (owners.nodes.empty()) {
            whys_.push_back(message("no node before it has the parameter {}", quotedName(param)));
        } else if (isShared && !isCopied) {
            whys_.push_back(
                message("{} is set in a node that feeds others, too", quotedName(param)));
        }
        return owners.wire;
    }

    /// Whether something else is wired to what comes into the node, or to what that is made of.
    [[nodiscard]] bool isUsedElsewhere(const PromptNode& node, const std::string& type) const {
        std::set<Socket> seen;
        std::vector<const PromptNode*> open = {&node};
        for (size_t done = 0; done < open.size() && done < kFarthestBefore; ++done) {
            for (const auto& [name, input] : open[done]->inputs) {
                if (!input.from || typeOfSocket(prompt_, needs_.table, *input.from) != type) {
                    continue;
                }
                if (uses_.at(*input.from) > 1) {
                    return true;
                }
                const auto source = prompt_.nodes.find(input.from->node);
                if (source != prompt_.nodes.end() && seen.insert(*input.from).second) {
                    open.push_back(&source->second);
                }
            }
        }
        return false;
    }

    // Loaders of parts of a model

    void addPart(const std::string& id,
                 const PromptNode& node,
                 const ClassRow& row,
                 const Recipe& recipe,
                 const CarriedInputs& inputs) {
        const std::vector<std::string>& models = parts_[id];
        if (models.empty()) {
            whys_.push_back(message("no diffusion model of the workflow is run with it"));
            outputs_[{id, 0}] = {.wire = {}, .settings = {}, .wires = {}, .isMissing = true};
            return;
        }
        bool isWired = false;
        for (size_t rank = 0; rank < models.size(); ++rank) {
            isWired = joinPart(id, node, row, recipe, models[rank], rank) || isWired;
        }
        if (isWired) {
            addNodes(id, node, recipe, inputs);
        }
        outputs_[{id, 0}] = {.wire = graph::PortRef{models[0], "model"},
                             .settings = {},
                             .wires = {},
                             .isMissing = missing_.contains(id)};
    }

    /// Whether the part is a node of its own, wired to the loader of the model.
    bool joinPart(const std::string& id,
                  const PromptNode& node,
                  const ClassRow& row,
                  const Recipe& recipe,
                  const std::string& model,
                  size_t rank) {
        const Recipe* loader = recipeFor(model);
        const NodeDesc* desc = loader == nullptr || loader->nodes.empty()
                                   ? nullptr
                                   : needs_.catalog.find(loader->nodes[0].type);
        const std::string port = portOfRole(row.role);
        if (desc != nullptr && graph::findInput(*desc, port) != nullptr) {
            joinNearest(joined_, {model, port}, rank, graph::PortRef{id, recipe.outputs.at(0)});
            return true;
        }
        if (desc != nullptr && row.role == ModelRole::Autoencoder &&
            graph::findParam(*desc, kAutoencoderParam) != nullptr) {
            const auto file = recipe.nodes[0].params.find("file");
            if (file != recipe.nodes[0].params.end()) {
                if (const std::optional<Json> value = values_.from(file->second, node)) {
                    joinNearest(ownAutoencoders_, model, rank, *value);
                }
            }
            return false;
        }
        whys_.push_back(
            message("the checkpoint of node {} has its own, which is taken", quotedName(model)));
        return false;
    }

    /// What is nearer to a model than others that reach it, as along a latent from one to the next.
    template <typename Key, typename Value>
    static void joinNearest(std::map<Key, std::pair<size_t, Value>>& joined,
                            const Key& to,
                            size_t rank,
                            Value from) {
        const auto [known, isNew] = joined.try_emplace(to, rank, from);
        if (!isNew && rank < known->second.first) {
            known->second = {rank, std::move(from)};
        }
    }

    /// Once all loaders are there.
    void addParts() {
        for (const auto& [to, from] : joined_) {
            if (draft_.contains(to.node)) {
                draft_.link(from.second, to);
            }
        }
        for (const auto& [model, ranked] : ownAutoencoders_) {
            const Json& file = ranked.second;
            if (const NodeDesc* desc = draft_.descOf(model)) {
                whys_.clear();
                setParam(model, *desc, kAutoencoderParam, file);
            }
        }
    }

    // The report

    void reportNode(const std::string& id, const PromptNode& node) {
        ReportEntry entry{.id = id, .name = node.type, .title = node.title, .why = whys_};
        (whys_.empty() ? report_.exact : report_.near).push_back(std::move(entry));
    }

    /// What no diffusion model is run without.
    static bool isNeededPart(const NodeDesc& desc, const PortDesc& port) {
        return graph::findOutput(desc, "model") != nullptr &&
               (port.id == portOfRole(ModelRole::TextEncoder) ||
                port.id == portOfRole(ModelRole::Autoencoder));
    }

    /// What a muted node would feed remains open, and is refused when it is run.
    void reportOpenInputs() {
        std::map<std::string, std::vector<Message>> open;
        for (const auto& [id, node] : draft_.nodes()) {
            const NodeDesc* desc = draft_.descOf(id);
            if (desc == nullptr) {
                continue;
            }
            for (const PortDesc& port : desc->inputs) {
                if ((!port.optional || isNeededPart(*desc, port)) &&
                    !draft_.sourceOf({id, port.id})) {
                    open[id].push_back(message("nothing is wired to its input {}", port.label));
                    missing_.insert(id);
                }
            }
        }
        for (std::vector<ReportEntry>* list : {&report_.exact, &report_.near}) {
            std::erase_if(*list, [&](const ReportEntry& entry) {
                const auto found = open.find(entry.id);
                if (found != open.end()) {
                    found->second.insert(found->second.begin(), entry.why.begin(), entry.why.end());
                }
                return found != open.end();
            });
        }
        for (auto& [id, why] : open) {
            report_.missing.push_back(
                {.id = id, .name = draft_.classOf(id), .why = std::move(why)});
        }
    }

    /// What follows on something that is missing does not run either.
    void spreadMissing() {
        std::map<std::string, std::vector<std::string>> feeds;
        for (const auto& [to, from] : draft_.wires()) {
            feeds[from.node].push_back(to.node);
        }
        std::vector<std::string> open(missing_.begin(), missing_.end());
        while (!open.empty()) {
            const std::vector<std::string> fed = feeds[open.back()];
            open.pop_back();
            for (const std::string& id : fed) {
                if (missing_.insert(id).second) {
                    open.push_back(id);
                }
            }
        }
    }

    void reportLeftOut() {
        for (const LeftOut& each : prompt_.leftOut) {
            report_.leftOut.push_back({.id = each.node, .name = each.type, .why = {each.why}});
        }
    }

    void reportOutputs() {
        for (const auto& [id, node] : draft_.nodes()) {
            const NodeDesc* desc = draft_.descOf(id);
            if (desc != nullptr && desc->output && !missing_.contains(id)) {
                report_.runs.push_back(id);
            }
        }
    }

    Prompt prompt_;
    const ImportNeeds& needs_;
    GraphDraft draft_;
    std::optional<NegativeUse> negatives_;
    ImportReport report_;
    std::map<Socket, Carried> outputs_;
    std::map<std::string, std::set<int>> slotsUsed_;  ///< outputs that something is wired to
    std::map<Socket, size_t> uses_;                   ///< inputs that are wired to each output
    std::map<Socket, std::string> apart_;             ///< nodes of outputs that are not the first's
    std::map<std::string, std::vector<std::string>> parts_;
    std::map<std::string, PromptNode> checkpoints_;  ///< by the models that are run with theirs
    /// Parts by the inputs of loaders, and files by the loaders of checkpoints; with their ranks.
    std::map<graph::PortRef, std::pair<size_t, graph::PortRef>> joined_;
    std::map<std::string, std::pair<size_t, Json>> ownAutoencoders_;
    ValueOrigins origins_;
    std::set<std::string> groupsUsed_;  ///< that hold a node
    std::set<std::string> missing_;     ///< nodes that something is missing for
    std::vector<Message> whys_;         ///< of the node that is translated
    RecipeValues values_{prompt_, needs_, whys_};
};

}  // namespace

Imported translatePrompt(Prompt prompt, const ImportNeeds& needs) {
    Imported imported = Translator(std::move(prompt), needs).translate();
    imported.report.source = "ComfyUI workflow";
    return imported;
}

}  // namespace lowtide::interop
