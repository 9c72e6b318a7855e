#include "plugin/memory/storage_notes.hpp"

#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/memory/component_tree.hpp"

namespace lowtide::memory {

namespace {

std::vector<std::string> quantisedAs(const ComponentTree& tree) {
    std::vector<std::string> names;
    for (const FileType& each : fileTypesOf(tree)) {
        if (isQuantised(each)) {
            names.push_back(each.encoding.empty() ? shortNameOf(each.type) : each.encoding);
        }
    }
    return names;
}

Bytes bytesOf(const ComponentTree& tree, const ComponentPrecision& precision) {
    return inPrecision(tree, precision).deviceBytes();
}

void addDecoded(const ComponentTree& tree,
                const ComponentPrecision& precision,
                std::vector<std::string>& notes) {
    const std::vector<std::string> names = quantisedAs(tree);
    const bool isRounded = !precision.storesAsInFile && precision.storage == DType::F8E4M3;
    if (names.empty() || isRounded) {
        return;
    }
    ComponentPrecision asInFile = precision;
    asInFile.storesAsInFile = true;
    ComponentPrecision decoded = precision;
    if (precision.storesAsInFile) {
        decoded.storesAsInFile = decoded.keepsQuantised = false;
        decoded.storage = precision.compute;
    }
    const std::string way =
        precision.storesAsInFile
            ? "stays so and is decoded at every use; storage=" + shortNameOf(decoded.storage) +
                  " decodes it once"
            : "is decoded once; storage=file leaves it as it is";
    notes.push_back("the file has the " + precision.role + " as " + join(names, " and ") +
                    ", which " + way +
                    ", with the same bits (decoded: " + formatBytes(bytesOf(tree, decoded)) +
                    "; as in the file: " + formatBytes(bytesOf(tree, asInFile)) + ")");
}

void addWidened(const ComponentTree& tree,
                const ComponentPrecision& precision,
                std::vector<std::string>& notes) {
    if (tree.changes.empty()) {
        return;
    }
    const ComponentTree typed = inPrecision(tree, precision);
    Bytes more = 0;
    for (StorageId storage = 0; storage < typed.storages.size(); ++storage) {
        if (typed.storages[storage].arrivalType) {
            more += arrivalBytes(typed, storage) - typed.deviceBytes(storage);
        }
    }
    if (more > 0) {
        notes.push_back("weights of the " + precision.role +
                        " that adapters change come with every value of their file: where they "
                        "stream instead of staying, " +
                        formatBytes(more) + " more");
    }
}

}  // namespace

std::vector<std::string> storageNotes(const ComponentTree& tree,
                                      const ComponentPrecision& precision) {
    std::vector<std::string> notes;
    addDecoded(tree, precision, notes);
    addWidened(tree, precision, notes);
    return notes;
}

}  // namespace lowtide::memory
