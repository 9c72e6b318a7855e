#pragma once
// Nodes of a host's canvas, wired as a user would, for tests of the QtNodes example.

#include "tests/unit/graph/sample_graph.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/qtnodes_host/adapter/wires.hpp"

namespace lowtide::qtnodes_host {

using NodePtr = std::shared_ptr<NodeState>;

class CanvasStates {
public:
    [[nodiscard]] NodePtr add(const std::string& type) const {
        for (const NodeDesc& desc : nodes_) {
            if (desc.id == type) {
                return std::make_shared<NodeState>(desc);
            }
        }
        throw std::invalid_argument(type);
    }

    static void wire(const NodePtr& from, size_t output, const NodePtr& to, size_t input) {
        const Handle handle{.node = from, .output = output};
        if (!mayConnect(handle, *to, input)) {
            throw std::invalid_argument(from->desc().id + " -> " + to->desc().id);
        }
        to->connect(input, handle);
    }

    [[nodiscard]] const std::vector<NodeDesc>& types() const { return nodes_; }

private:
    const std::vector<NodeDesc> nodes_ = graph::sampleNodes();
};

/// load -> encode -> denoise -> decode -> save, with an empty latent.
struct TextToImage {
    CanvasStates canvas;
    NodePtr load = canvas.add("load.checkpoint");
    NodePtr encode = canvas.add("prompt.encode");
    NodePtr latent = canvas.add("latent.empty");
    NodePtr denoise = canvas.add("denoise.sample");
    NodePtr decode = canvas.add("decode.image");
    NodePtr save = canvas.add("save.image");

    TextToImage() {
        CanvasStates::wire(load, 0, encode, 0);
        CanvasStates::wire(load, 0, denoise, 0);
        CanvasStates::wire(encode, 0, denoise, 1);
        CanvasStates::wire(encode, 1, denoise, 2);
        CanvasStates::wire(latent, 0, denoise, 3);
        CanvasStates::wire(load, 0, decode, 0);
        CanvasStates::wire(denoise, 0, decode, 1);
        CanvasStates::wire(decode, 0, save, 0);
    }
};

}  // namespace lowtide::qtnodes_host
