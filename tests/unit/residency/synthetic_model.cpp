#include "tests/unit/residency/synthetic_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace lowtide::testing {

namespace {

/// A weight of a leaf: the storage it needs, made when it is named for the first time.
struct WeightPart {
    std::string key;
    DType fileType;
    Shape shape;
    bool isTransposed = false;  ///< in the file
};

struct LeafPart {
    std::string name;
    std::vector<WeightPart> weights;
    bool gathered = false;
};

struct ComponentPart {
    std::string role;
    std::vector<LeafPart> leaves;
};

std::vector<ComponentPart> componentParts(int64_t scale) {
    const int64_t wide = 96 * scale;
    const WeightPart tied = {"shared.weight", DType::F16, {wide, 33}};
    return {
        {"text_encoder",
         {{"embeddings", {{"table", DType::F16, {50, 24}}}, true},
          {"first", {tied, {"first.bias", DType::F16, {wide}}}},
          {"middle",
           {{"middle.weight", DType::F16, {wide, 17}, true}, {"middle.bias", DType::F32, {17}}}},
          {"last", {tied}}}},
        {"denoiser",
         {{"in", {{"in.weight", DType::F32, {wide, 3, 3, 3}}, {"in.bias", DType::F32, {wide}}}},
          {"mid", {{"mid.weight", DType::F32, {wide, 96}}}},
          {"odd", {{"odd.weight", DType::F32, {7}}}},
          {"out", {{"out.weight", DType::F32, {wide, 5}}}}}},
        {"autoencoder",
         {{"a", {{"a.weight", DType::BF16, {wide, 31}}}},
          {"b", {{"b.weight", DType::F16, {wide, 5}}, {"b.bias", DType::F8E4M3, {wide}}}}}},
    };
}

/// Appends tensors to the bytes of a file at offsets of the layout's class.
class FileWriter {
public:
    explicit FileWriter(FileLayout layout) : layout_(layout) {}

    int64_t append(const at::Tensor& tensor) {
        const Bytes end = static_cast<Bytes>(bytes_.size());
        bytes_.resize(static_cast<size_t>(alignUp(end, layout_.alignment) + layout_.shift), '\0');
        const auto offset = static_cast<int64_t>(bytes_.size());
        bytes_.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
        return offset;
    }

    void write(const std::string& path) const { files::writeFileAtomically(path, bytes_); }

private:
    FileLayout layout_;
    std::string bytes_ = "header";
};

/// Makes one tree; its masters go to the file and to `hostWeights`.
class TreeMaker {
public:
    TreeMaker(FileWriter& file,
              at::Generator& generator,
              std::map<std::string, at::Tensor>& hostWeights)
        : file_(file), generator_(generator), hostWeights_(hostWeights) {}

    memory::ComponentTree make(const ComponentPart& part) {
        memory::ComponentTree tree;
        tree.id = part.role + " of the synthetic model";
        tree.role = part.role;
        tree.network = "Synthetic";
        for (const LeafPart& leafPart : part.leaves) {
            memory::Leaf leaf{leafPart.name, {}, leafPart.gathered};
            for (const WeightPart& weight : leafPart.weights) {
                leaf.weights.push_back(static_cast<memory::WeightId>(tree.weights.size()));
                tree.weights.push_back({leafPart.name + "." + weight.key,
                                        storageFor(tree, weight),
                                        DType::F32,
                                        weight.shape,
                                        weight.isTransposed});
            }
            tree.leaves.push_back(std::move(leaf));
        }
        return tree;
    }

private:
    memory::StorageId storageFor(memory::ComponentTree& tree, const WeightPart& weight) {
        for (memory::StorageId id = 0; id < tree.storages.size(); ++id) {
            if (tree.storages[id].key == weight.key) {
                return id;
            }
        }
        const at::Tensor hostWeight =
            at::randn(weight.shape, generator_).to(residency::scalarTypeOf(weight.fileType));
        hostWeights_[tree.role + "." + weight.key] = hostWeight;
        const at::Tensor stored = weight.isTransposed ? hostWeight.t().contiguous() : hostWeight;
        tree.storages.push_back(
            {weight.key, 0, file_.append(stored), weight.fileType, hostWeight.numel()});
        return static_cast<memory::StorageId>(tree.storages.size() - 1);
    }

    FileWriter& file_;
    at::Generator& generator_;
    std::map<std::string, at::Tensor>& hostWeights_;
};

}  // namespace

memory::WeightFile fileOf(const std::string& path) {
    const files::FileIdentity identity = files::InputFile(path).identity();
    return {path, identity.size, identity.modifiedNanoseconds, identity.inode};
}

SyntheticModel::SyntheticModel(const std::string& path, FileLayout layout) : path_(path) {
    FileWriter file(layout);
    at::Generator generator = at::detail::createCPUGenerator(layout.seed);
    std::vector<memory::ComponentTree> trees;
    for (const ComponentPart& part : componentParts(layout.scale)) {
        trees.push_back(TreeMaker(file, generator, hostWeights_).make(part));
    }
    file.write(path);
    for (memory::ComponentTree& tree : trees) {
        tree.files = {fileOf(path)};
        trees_.push_back(std::make_shared<const memory::ComponentTree>(std::move(tree)));
    }
}

at::Tensor SyntheticModel::expected(const memory::ComponentTree& tree,
                                    const memory::Weight& weight) const {
    const at::Tensor& hostWeight =
        hostWeights_.at(tree.role + "." + tree.storages[weight.storage].key);
    return hostWeight.to(residency::scalarTypeOf(weight.computeType)).view(weight.shape);
}

memory::PlanRequest SyntheticModel::request(const std::string& policy,
                                            const memory::DeviceSpec& device,
                                            const memory::DeviceTraits& traits) const {
    memory::PlanRequest request;
    request.device = device;
    request.devices = {
        {.spec = device, .traits = traits, .profile = memory::estimatedProfile(device.kind)}};
    const char* const nodes[] = {"encode", "denoise", "decode"};
    for (size_t i = 0; i < trees_.size(); ++i) {
        request.nodes.push_back({nodes[i], memory::parsePolicy(policy), {trees_[i]}});
    }
    return request;
}

std::shared_ptr<const memory::Plan> planOf(const memory::PlanRequest& request) {
    auto made = memory::makePlan(request);
    LOWTIDE_ASSERT(std::holds_alternative<memory::Plan>(made));
    return std::make_shared<const memory::Plan>(std::get<memory::Plan>(std::move(made)));
}

}  // namespace lowtide::testing
