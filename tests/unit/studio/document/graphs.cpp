#include "tests/unit/studio/document/graphs.hpp"

#include "ui/document/edits.hpp"

#include <random>

namespace lowtide::testing {

namespace {

PortDesc port(const char* id, const char* type, bool optional = false) {
    return {.id = id, .label = id, .type = type, .optional = optional};
}

ParamDesc param(const char* id, ParamKind kind, Scalar value) {
    return {.id = id, .label = id, .kind = kind, .defaultValue = std::move(value)};
}

}  // namespace

std::vector<NodeDesc> someNodes() {
    return {
        {.id = "load.checkpoint",
         .label = "Checkpoint",
         .outputs = {port("model", "MODEL")},
         .params = {param("file", ParamKind::File, std::monostate())}},
        {.id = "prompt.encode",
         .label = "Encode prompt",
         .inputs = {port("model", "MODEL")},
         .outputs = {port("positive", "CONDITIONING"), port("negative", "CONDITIONING")},
         .params = {param("prompt", ParamKind::Text, std::string())}},
        {.id = "denoise.sample",
         .label = "Denoise",
         .version = 3,
         .inputs = {port("model", "MODEL"),
                    port("positive", "CONDITIONING"),
                    port("latent", "LATENT", true)},
         .outputs = {port("latent", "LATENT")},
         .params = {param("seed", ParamKind::Seed, uint64_t{0}),
                    param("steps", ParamKind::Int, int64_t{20}),
                    param("cfg", ParamKind::Float, 7.5)}},
        {.id = "decode.latent",
         .label = "Decode",
         .inputs = {port("latent", "LATENT"), port("model", "MODEL", true)},
         .outputs = {port("image", "IMAGE")}},
        {.id = "finish.sharpen",
         .label = "Sharpen",
         .inputs = {port("image", "IMAGE")},
         .outputs = {port("image", "IMAGE")},
         .params = {param("radius", ParamKind::Float, 2.0)}},
        {.id = "save.image", .label = "Save", .output = true, .inputs = {port("image", "IMAGE")}},
        {.id = "control.offload",
         .label = "Offload",
         .control = true,
         .inputs = {port("value", "*")},
         .outputs = {port("value", "*")}}};
}

QString someGraphText() {
    return QStringLiteral(R"({
  "exposed": [
    {
      "hue": 3,
      "label": "Prompt",
      "node": "encode",
      "param": "prompt"
    }
  ],
  "format": 2,
  "frames": [
    {
      "id": "f1",
      "mood": "calm",
      "position": [
        -20,
        -40
      ],
      "size": [
        500,
        400
      ],
      "text": "Sampling"
    },
    "not a frame"
  ],
  "future": {
    "a": [
      1,
      1.0,
      null
    ]
  },
  "links": [
    {
      "from": [
        "denoise",
        "latent"
      ],
      "to": [
        "decode",
        "latent"
      ]
    },
    {
      "from": [
        "encode",
        "positive"
      ],
      "to": [
        "denoise",
        "positive"
      ],
      "via": [
        [
          230,
          10
        ],
        [
          300.5,
          20
        ]
      ],
      "wobble": true
    },
    {
      "from": [
        "decode",
        "image"
      ],
      "to": [
        "foreign",
        "anything"
      ]
    },
    {
      "from": [
        "decode",
        "image"
      ],
      "to": [
        "save",
        "image"
      ]
    }
  ],
  "memory_budget": "4 GiB",
  "nodes": {
    "decode": {
      "params": {},
      "position": [
        700,
        0
      ],
      "type": "decode.latent",
      "v": 1
    },
    "denoise": {
      "memory": "leaf+stream",
      "params": {
        "cfg": 7,
        "from_tomorrow": {
          "b": 2
        },
        "seed": 18446744073709551615,
        "steps": 12
      },
      "position": [
        400,
        0.5
      ],
      "seed_modes": {
        "other": "shuffle",
        "seed": "random"
      },
      "title": "Denoise",
      "type": "denoise.sample",
      "v": 2
    },
    "encode": {
      "params": {
        "prompt": "a lighthouse"
      },
      "position": [
        0,
        0
      ],
      "type": "prompt.encode",
      "v": 1
    },
    "foreign": {
      "colour": "#fff",
      "params": {
        "x": [
          1,
          2
        ]
      },
      "position": "somewhere",
      "type": "SomeOtherNode",
      "v": 1
    },
    "save": {
      "params": {},
      "type": "save.image",
      "v": 1
    }
  },
  "notes": [
    {
      "id": "n1",
      "position": [
        10,
        200
      ],
      "size": [
        100,
        60
      ],
      "text": "try more steps"
    }
  ]
}
)");
}

graph::Document someGraph() {
    return graph::parseDocument(someGraphText().toStdString());
}

graph::Document largeGraph(int nodes) {
    const graph::Catalog catalog(someNodes());
    const NodeDesc& desc = *catalog.find("denoise.sample");
    graph::Document document;
    std::vector<std::string> ids;
    for (int number = 0; number < nodes; ++number) {
        graph::DocumentNode node{.type = desc.id, .version = desc.version};
        node.params = {{"seed", number}, {"steps", 20}, {"cfg", 7.5}, {"prompt", "a lighthouse"}};
        ui::setPosition(node, {240.0 * (number % 40), 200.0 * (number / 40)});
        ids.push_back("node_" + std::to_string(100000 + number));
        document.nodes.emplace(ids.back(), std::move(node));
    }
    std::mt19937 random(7);
    for (size_t to = 1; to < ids.size(); ++to) {
        const size_t reach = std::min<size_t>(to, 12);
        for (const char* input : {"latent", "model"}) {
            const size_t from = to - 1 - random() % reach;
            document.links.push_back({.from = {ids[from], "latent"}, .to = {ids[to], input}});
        }
    }
    return document;
}

QString shown(const graph::Document& document) {
    return QString::fromStdString(graph::toText(document));
}

}  // namespace lowtide::testing
