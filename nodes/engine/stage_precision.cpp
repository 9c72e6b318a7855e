#include "nodes/engine/stage_precision.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <utility>

namespace lowtide::nodes {

namespace {

/// Everything as it is opened: f32 on the device, whatever the file has.
bool isAsOpened(const memory::ComponentPrecision& precision) {
    return precision.storage == DType::F32 && !precision.storesAsInFile &&
           precision.compute == DType::F32 && precision.keptF32.empty() &&
           !precision.multipliesHalves;
}

std::shared_ptr<const memory::ComponentTree> typedTree(
    const models::ComponentSource& source, const memory::ComponentPrecision& precision) {
    std::shared_ptr<const memory::ComponentTree> opened = treeIn(source, precision.role);
    return isAsOpened(settled(precision, *opened))
               ? opened
               : std::make_shared<const memory::ComponentTree>(inPrecision(*opened, precision));
}

void add(models::TypedNetworks& networks,
         const models::ComponentSource& source,
         const memory::ComponentPrecision& precision) {
    models::TypedNetwork own{.tree = typedTree(source, precision),
                             .compute = precision.compute,
                             .switches = precision.switches};
    const std::string id = own.tree->networkId();
    networks.emplace(id, std::move(own));
}

memory::ComponentPrecision precisionOf(const models::ComponentSource& source,
                                       const std::string& role,
                                       const memory::PrecisionChoice& choice) {
    const int capability = choice.capabilityOf(role);
    const auto device = capability > 0 ? memory::NumericTraits::ofCuda(capability) : cpuTraits();
    return resolvePrecision(choice, source.precisions(), role, device, [&] {
        return fileTypesOf(*treeIn(source, role));
    });
}

}  // namespace

memory::NumericTraits cpuTraits() {
    const tensor::CpuPaths paths = tensor::cpuPaths();
    return {.multipliesHalves = paths.product != tensor::CpuPath::Plain &&
                                paths.convolution != tensor::CpuPath::Plain};
}

std::vector<memory::ComponentPrecision> precisionsFor(const models::ComponentSource& source,
                                                      const std::vector<std::string_view>& patterns,
                                                      const memory::PrecisionChoice& choice) {
    std::vector<memory::ComponentPrecision> precisions;
    for (const std::string_view pattern : patterns) {
        for (const std::string& role : rolesIn(source, pattern)) {
            precisions.push_back(precisionOf(source, role, choice));
        }
    }
    return precisions;
}

models::TypedNetworks typedFor(const models::ComponentSource& source,
                               const std::vector<memory::ComponentPrecision>& precisions) {
    models::TypedNetworks networks;
    for (const memory::ComponentPrecision& precision : precisions) {
        add(networks, source, precision);
    }
    return networks;
}

models::TypedNetworks exactFor(const models::ComponentSource& source,
                               const std::vector<memory::ComponentPrecision>& precisions) {
    models::TypedNetworks networks;
    for (memory::ComponentPrecision precision : precisions) {
        if (precision.checksFinite) {
            precision.compute = DType::F32;
            add(networks, source, precision);
        }
    }
    return networks;
}

std::vector<std::shared_ptr<const memory::ComponentTree>> typedTrees(
    const models::TypedNetworks& networks,
    const models::ComponentSource& source,
    const std::vector<memory::ComponentPrecision>& precisions) {
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    for (const memory::ComponentPrecision& precision : precisions) {
        trees.push_back(networks.at(treeIn(source, precision.role)->networkId()).tree);
    }
    return trees;
}

}  // namespace lowtide::nodes
