#include "examples/qtnodes_host/canvas.hpp"

#include <QJsonDocument>
#include <QLabel>
#include <QUndoStack>
#include <QtNodes/DataFlowGraphModel>
#include <QtNodes/DataFlowGraphicsScene>
#include <QtNodes/GraphicsView>

#include "examples/qtnodes_host/adapter/scene_check.hpp"
#include "examples/qtnodes_host/adapter/wires.hpp"

namespace lowtide::qtnodes_host {

namespace {

using namespace QtNodes;
using Status = NodeProcessingStatus;
using Validity = NodeValidationState::State;

constexpr Status kStatuses[] = {
    Status::NoStatus, Status::Pending, Status::Processing, Status::Updated, Status::Failed};
constexpr Validity kValidities[] = {Validity::Valid, Validity::Warning, Validity::Error};

struct Wire final : NodeData {
    explicit Wire(Handle output) : handle(std::move(output)) {}

    NodeDataType type() const override { return {QString::fromStdString(typeOf(handle)), ""}; }

    Handle handle;
};

/// The one class behind every node; the host's own shows the image that reaches it.
struct LowtideNode final : NodeDelegateModel {
    LowtideNode(std::string name, const NodeDesc& desc)
        : name_(QString::fromStdString(name)), state(std::make_shared<NodeState>(desc)) {}

    QString name() const override { return name_; }

    QString caption() const override {
        return name_ == kToHostImage ? name_ : QString::fromStdString(state->desc().label);
    }

    const std::vector<PortDesc>& ports(PortType side) const {
        return side == PortType::In ? state->desc().inputs : state->desc().outputs;
    }

    unsigned nPorts(PortType side) const override { return unsigned(ports(side).size()); }

    NodeDataType dataType(PortType side, PortIndex index) const override {
        const PortDesc& port = ports(side).at(index);
        return {QString::fromStdString(port.type), QString::fromStdString(port.label)};
    }

    std::shared_ptr<NodeData> outData(PortIndex index) override {
        return std::make_shared<Wire>(Handle{state, index});
    }

    void setInData(std::shared_ptr<NodeData> data, PortIndex index) override {
        const auto wire = std::dynamic_pointer_cast<Wire>(data);
        state->connect(index, wire ? wire->handle : Handle());
    }

    QWidget* embeddedWidget() override {
        if (name_ == kToHostImage && !image) {
            image = new QLabel;
            image->setFixedSize(160, 160);
        }
        return image;
    }

    QJsonObject save() const override {
        QJsonObject json = NodeDelegateModel::save();
        json[kStateKey] = QString::fromStdString(state->save());  // a text: seeds have 64 bits
        return json;
    }

    void load(const QJsonObject& json) override {
        if (json.contains(kStateKey)) {
            state->load(json[kStateKey].toString().toStdString());
        }
    }

    const QString name_;
    const std::shared_ptr<NodeState> state;
    QLabel* image = nullptr;  // belongs to the scene
};

/// QtNodes compares types as texts; here "*" takes any and gives what arrived.
struct GraphModel final : DataFlowGraphModel {
    using DataFlowGraphModel::DataFlowGraphModel;

    LowtideNode* at(NodeId id) const {
        return const_cast<GraphModel*>(this)->delegateModel<LowtideNode>(id);
    }

    std::vector<LowtideNode*> nodes() const {
        std::map<NodeId, LowtideNode*> byAge;
        for (const NodeId id : allNodeIds()) {
            byAge[id] = at(id);
            const auto position = nodeData(id, NodeRole::Position).toPointF();
            byAge[id]->state->setPosition(position.x(), position.y());
        }
        const auto nodes = std::views::values(byAge);
        return {nodes.begin(), nodes.end()};
    }

    bool connectionPossible(const ConnectionId id) const override {
        const auto *from = at(id.outNodeId), *to = at(id.inNodeId);
        return from && to && connections(id.inNodeId, PortType::In, id.inPortIndex).empty() &&
               mayConnect({from->state, id.outPortIndex}, *to->state, id.inPortIndex);
    }
};

}  // namespace

struct Canvas::Parts {
    Parts(const TypesByName& all, std::shared_ptr<NodeDelegateModelRegistry> registry)
        : types(all), model(std::move(registry)) {}

    TypesByName types;
    GraphModel model;
    DataFlowGraphicsScene scene{model};
    GraphicsView* view = new GraphicsView(&scene);
};

Canvas::Canvas(std::span<const NodeDesc> nodes, QObject* parent) : QObject(parent) {
    const auto registry = std::make_shared<NodeDelegateModelRegistry>();
    const TypesByName types = typesByName(nodes);
    for (const auto& [name, desc] : types) {
        registry->registerModel(
            [name, desc] { return std::make_unique<LowtideNode>(name, *desc); },
            name == kToHostImage ? tr("Host") : QString::fromStdString(desc->category));
    }
    parts_ = std::make_unique<Parts>(types, registry);
    connect(&parts_->scene, &QGraphicsScene::selectionChanged, this, [this] {
        const std::vector<NodeId> ids = parts_->scene.selectedNodes();
        const LowtideNode* node = ids.size() == 1 ? parts_->model.at(ids[0]) : nullptr;
        Q_EMIT chosen(node ? node->state : nullptr);
    });
    connect(&parts_->model, &GraphModel::connectionCreated, this, &Canvas::rewired);
    connect(&parts_->model, &GraphModel::connectionDeleted, this, &Canvas::rewired);
}

Canvas::~Canvas() {
    parts_->scene.disconnect(this);  // it clears its selection on its way out
}

QWidget* Canvas::view() const {
    return parts_->view;
}

std::vector<StatePtr> Canvas::nodes() const {
    std::vector<StatePtr> states;
    for (const LowtideNode* node : parts_->model.nodes()) {
        states.push_back(node->state);
    }
    return states;
}

void Canvas::mark(const UpstreamGraph& graph, const RunStatus& status) {
    for (LowtideNode* node : parts_->model.nodes()) {
        const NodeMark mark = status.markOf(graph.idOf(*node->state));
        node->setNodeProcessingStatus(kStatuses[size_t(mark.status)]);
        node->setValidationState(
            {kValidities[size_t(mark.verdict)], QString::fromStdString(mark.message)});
        Q_EMIT node->requestNodeUpdate();
    }
}

void Canvas::show(const NodeState& shown, const QImage& image) {
    for (LowtideNode* node : parts_->model.nodes()) {
        if (node->image && node->state.get() == &shown) {
            node->image->setPixmap(
                QPixmap::fromImage(image).scaled(node->image->size(), Qt::KeepAspectRatio));
        }
    }
}

QByteArray Canvas::save() const {
    return QJsonDocument(parts_->model.save()).toJson();
}

void Canvas::load(const QByteArray& scene) {
    checkScene(parseJson(scene.toStdString(), "scene"), parts_->types);
    parts_->scene.clearScene();
    parts_->scene.undoStack().clear();
    parts_->model.load(QJsonDocument::fromJson(scene).object());
}

}  // namespace lowtide::qtnodes_host
