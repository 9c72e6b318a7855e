#include "plugin/nn/blocks/tensor_view.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::models {

namespace {

[[noreturn]] void refuseTensor(const std::string& what, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                what + ": " + problem,
                "the checkpoint is incomplete or of another kind: get it again");
}

}  // namespace

const Shape* TensorView::find(const std::string& name) const {
    const auto place = map_.tensors.find(nameInFile_(name));
    return place == map_.tensors.end() ? nullptr : &place->second.shape;
}

const Shape& TensorView::need(const std::string& name) const {
    const Shape* shape = find(name);
    if (!shape) {
        refuseTensor(map_.what, "there is no tensor " + nameInFile_(name));
    }
    return *shape;
}

int64_t TensorView::size(const std::string& name, size_t axis) const {
    const Shape& shape = need(name);
    if (axis >= shape.size() || shape[axis] < 1) {
        refuseTensor(map_.what,
                     "the tensor " + nameInFile_(name) + " has the shape " + toText(shape) +
                         ", needs a size on axis " + std::to_string(axis));
    }
    return shape[axis];
}

int64_t TensorView::count(const std::function<std::string(const std::string&)>& name) const {
    int64_t found = 0;
    while (has(name(std::to_string(found)))) {
        ++found;
    }
    return found;
}

}  // namespace lowtide::models
