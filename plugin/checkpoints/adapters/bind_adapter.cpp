#include "plugin/checkpoints/adapters/bind_adapter.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/adapters/module_names.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace lowtide::models {

/// The layer of some rows of a fused layer's delta: its factors with one row for each of
/// `allRows`, cut where they lie. Error{Unsupported} names a layer whose factors have no such rows.
[[nodiscard]] AdapterLayer rowsOfLayer(const AdapterLayer& layer,
                                       const AdapterRows& rows,
                                       int64_t allRows,
                                       const std::string& what);

namespace {

using memory::ComponentTree;
using memory::WeightId;

constexpr Phrase kOtherAdapter =
    phrase("choose an adapter that was made for this checkpoint's family");

/// Both know their width, and they differ.
void requireSameBase(const AdapterFile& file,
                     std::string_view component,
                     const ComponentTree& tree,
                     const std::string& checkpoint) {
    const AdapterBase theirs = baseOf(file);
    const AdapterBase own = baseOf(tree);
    const bool isOther = own.isKnown() && theirs.isKnown() && component == tree.role &&
                         (own.contextWidth != theirs.contextWidth || own.family != theirs.family);
    if (isOther || (own.isKnown() && !theirs.isBuilt)) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is {}; checkpoint {} needs one for {}",
                            file.what,
                            whatAdapterIs(file),
                            checkpoint,
                            own.text()),
                    kOtherAdapter);
    }
}

/// Binds layer after layer and remembers what does not fit.
class Binder {
public:
    Binder(const AdapterFile& file, const ComponentTree& tree)
        : file_(file), tree_(tree), names_(tree) {}

    void bind(const AdapterLayer& layer) {
        const std::vector<WeightId> weights = weightsOf(layer);
        if (weights.empty()) {
            binding_.unmatched.push_back(layer.name);
            return;
        }
        const Shape change = deltaShapeOf(layer, file_.what);
        if (weights.size() == 1) {
            add(weights.front(), layer, change, std::nullopt);
            return;
        }
        bindParts(layer, change, weights);
    }

    AdapterBinding take(const std::string& checkpoint) {
        if (!misshapen_.empty()) {
            const Message theirs = baseOf(file_).text();
            const Message misfits = listSome(misshapen_);
            throw Error(ErrorKind::InvalidInput,
                        theirs.empty() ? message("{}, does not fit the {} of checkpoint {}: {}",
                                                 file_.what,
                                                 tree_.role,
                                                 checkpoint,
                                                 misfits)
                                       : message("{}, which seems to be for {}, does not fit the "
                                                 "{} of checkpoint {}: {}",
                                                 file_.what,
                                                 theirs,
                                                 tree_.role,
                                                 checkpoint,
                                                 misfits),
                        kOtherAdapter);
        }
        return std::move(binding_);
    }

private:
    std::vector<WeightId> weightsOf(const AdapterLayer& layer) const {
        std::vector<WeightId> weights;
        for (const ModuleNames::Module* module : names_.find(layer.module)) {
            const std::optional<WeightId> weight = layer.isBias ? module->bias : module->weight;
            if (!weight) {
                return {};
            }
            weights.push_back(*weight);
        }
        return weights;
    }

    void bindParts(const AdapterLayer& layer,
                   const Shape& change,
                   const std::vector<WeightId>& weights) {
        int64_t allRows = 0;
        for (const WeightId id : weights) {
            allRows += tree_.weights[id].shape.front();
        }
        const bool isOnInput = layer.factors.contains("on_input");
        AdapterRows rows;
        for (const WeightId id : weights) {
            rows.count = tree_.weights[id].shape.front();
            if (isOnInput) {
                add(id, layer, change, rows);
            } else if (rowsIn(layer, change) != allRows) {
                misfit(layer, change, id, message("{} rows in all", allRows));
            } else {
                const AdapterLayer part = rowsOfLayer(layer, rows, allRows, file_.what);
                add(id, part, deltaShapeOf(part, file_.what), rows);
            }
            rows.first += rows.count;
        }
    }

    static int64_t rowsIn(const AdapterLayer& layer, const Shape& change) {
        return layer.kind == "scale" ? elementCount(change).value_or(0)
               : change.empty()      ? 0
                                     : change.front();
    }

    void add(WeightId id,
             const AdapterLayer& layer,
             const Shape& change,
             const std::optional<AdapterRows>& rows) {
        const memory::Weight& weight = tree_.weights[id];
        const auto [other, isFirst] = bound_.emplace(id, layer.name);
        if (!isFirst) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: {} and {} both change {}",
                                file_.what,
                                quotedName(other->second),
                                quotedName(layer.name),
                                weight.name),
                        message("save the adapter with each layer in one spelling"));
        }
        if (!fitsWeight(layer, change, weight.shape) || !doraFits(layer, weight.shape)) {
            misfit(layer, change, id, Message(toText(weight.shape)));
            return;
        }
        binding_.layers.push_back({.weight = id, .layer = layer, .rows = rows});
    }

    void misfit(const AdapterLayer& layer,
                const Shape& change,
                WeightId id,
                const Message& expected) {
        misshapen_.push_back(message("{} makes {}, {} needs {}",
                                     layer.factors.begin()->second.key,
                                     toText(change),
                                     tree_.weights[id].name,
                                     expected));
    }

    const AdapterFile& file_;
    const ComponentTree& tree_;
    ModuleNames names_;
    AdapterBinding binding_;
    std::map<WeightId, std::string> bound_;
    std::vector<Message> misshapen_;
};

/// What a checkpoint is, by its components.
Message baseOfTargets(std::span<const AdapterTarget> targets) {
    Message text;
    for (const AdapterTarget& target : targets) {
        const AdapterBase base = baseOf(*target.tree);
        if (base.contextWidth || text.empty()) {
            text = base.text();
        }
    }
    return text.empty() ? message("other networks") : text;
}

Message unmatchedWarning(const AdapterFile& file,
                         const std::vector<std::string>& unmatched,
                         const std::string& checkpoint) {
    std::vector<Message> warnings;
    if (!unmatched.empty()) {
        warnings.push_back(message("{} of {} layers of {} match nothing in checkpoint {}: {}",
                                   unmatched.size(),
                                   file.layers.size(),
                                   file.what,
                                   checkpoint,
                                   listSome(unmatched)));
    }
    if (!file.unread.empty()) {
        warnings.push_back(message("{} tensors of {} belong to no layer: {}",
                                   file.unread.size(),
                                   file.what,
                                   listSome(file.unread)));
    }
    if (!file.unknownComponents.empty()) {
        warnings.push_back(message(
            "{} has settings for {}, which no model here has: alphas of those layers are not used",
            file.what,
            listSome(file.unknownComponents)));
    }
    return joined(warnings, "; ");
}

/// True of what is left out, kind by kind.
Message hintFor(const AdapterFile& file, const std::vector<std::string>& unmatched) {
    constexpr std::string_view kModulation = ".diff_m";
    constexpr std::string_view kEmbedding = "bundle_emb.";
    const auto count = [&](auto&& is) {
        return static_cast<size_t>(std::count_if(file.unread.begin(), file.unread.end(), is));
    };
    const size_t modulations =
        count([&](const std::string& key) { return key.ends_with(kModulation); });
    const size_t embeddings =
        count([&](const std::string& key) { return key.starts_with(kEmbedding); });
    std::vector<Message> hints;
    if (!unmatched.empty()) {
        hints.push_back(message("check that the LoRA was trained for this kind of model"));
    }
    if (modulations > 0) {
        hints.push_back(message(
            "differences of modulations (diff_m) are not built; all other layers are used"));
    }
    if (embeddings > 0) {
        hints.push_back(message(
            "embeddings inside a LoRA are not read: save each as a file of its own in a folder of "
            "embeddings"));
    }
    if (file.unread.size() > modulations + embeddings) {
        hints.push_back(message("tensors without a layer change nothing; all layers are used"));
    }
    if (!file.unknownComponents.empty()) {
        hints.push_back(
            message("compare the strength with the program that the LoRA was made for"));
    }
    return joined(hints, "; ");
}

}  // namespace

AdapterBinding bindAdapter(const AdapterFile& file,
                           std::string_view component,
                           const ComponentTree& tree,
                           const std::string& checkpoint) {
    requireSameBase(file, component, tree, checkpoint);
    Binder binder(file, tree);
    for (const AdapterLayer& layer : file.layers) {
        if (layer.component == component) {
            binder.bind(layer);
        }
    }
    return binder.take(checkpoint);
}

BoundAdapter bindWholeAdapter(const AdapterFile& file,
                              std::span<const AdapterTarget> targets,
                              const std::string& checkpoint) {
    BoundAdapter bound;
    for (const AdapterTarget& target : targets) {
        requireSameBase(file, target.component, *target.tree, checkpoint);
    }
    std::set<std::string, std::less<>> components;
    std::set<std::string> lacking;
    size_t matched = 0;
    for (const AdapterTarget& target : targets) {
        AdapterBinding binding = bindAdapter(file, target.component, *target.tree, checkpoint);
        matched += binding.layers.size();
        for (const std::string& name : binding.unmatched) {
            if (lacking.insert(name).second) {  // two denoisers lack the same
                bound.unmatched.push_back(name);
            }
        }
        bound.bindings.push_back(std::move(binding));
        components.emplace(target.component);
    }
    for (const AdapterLayer& layer : file.layers) {
        if (!components.contains(layer.component)) {
            bound.unmatched.push_back(layer.name);
        }
    }
    if (matched == 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is {}; none of its layers matches checkpoint {}, which "
                            "needs one for {}: {}",
                            file.what,
                            whatAdapterIs(file),
                            checkpoint,
                            baseOfTargets(targets),
                            listSome(bound.unmatched)),
                    kOtherAdapter);
    }
    bound.warning = unmatchedWarning(file, bound.unmatched, checkpoint);
    bound.hint = hintFor(file, bound.unmatched);
    return bound;
}

namespace {

constexpr std::string_view kRowFactors[] = {
    "up", "w1_a", "w2_a", "difference", "on_output", "dora_scale", "magnitude"};

bool hasRowFactors(const AdapterLayer& layer) {
    const bool isHadamard = layer.kind == "hadamard" && !layer.factors.contains("t1");
    return isHadamard || layer.kind == "low_rank" || layer.kind == "difference" ||
           layer.kind == "scale";
}

/// The first rows of a tensor whose first axis that is not one has `allRows`. `what` begins errors.
bool cutRows(TensorLocation& location,
             const AdapterRows& rows,
             int64_t allRows,
             const std::string& what) {
    const auto axis = std::find_if(
        location.shape.begin(), location.shape.end(), [](int64_t size) { return size != 1; });
    if (axis == location.shape.end() || *axis != allRows) {
        return false;
    }
    location.takeRows(
        static_cast<size_t>(axis - location.shape.begin()), rows.first, rows.count, what);
    return true;
}

}  // namespace

AdapterLayer rowsOfLayer(const AdapterLayer& layer,
                         const AdapterRows& rows,
                         int64_t allRows,
                         const std::string& what) {
    AdapterLayer part = layer;
    if (!hasRowFactors(layer)) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: {} is a fused layer of kind {}, which cannot be parted",
                            what,
                            quotedName(layer.name),
                            layer.kind),
                    message("choose an adapter that names query, key and value"));
    }
    for (auto& [name, factor] : part.factors) {
        const bool isRowFactor = std::find(std::begin(kRowFactors), std::end(kRowFactors), name) !=
                                 std::end(kRowFactors);
        if (isRowFactor) {
            // Lengths of inputs are those of all rows; they make no part's.
            const std::string key = quotedName(factor.key);
            if (!cutRows(factor.location, rows, allRows, what + ": " + key)) {
                throw Error(ErrorKind::Unsupported,
                            message("{}: {} {} has not {} rows to be parted",
                                    what,
                                    key,
                                    toText(factor.location.shape),
                                    allRows),
                            message("choose an adapter that names query, key and value"));
            }
        }
    }
    return part;
}

}  // namespace lowtide::models
