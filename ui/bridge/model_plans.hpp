#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/model_library.hpp"

#include <QObject>
#include <QTimer>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace lowtide::ui {

/// The verdict of a plan on a checkpoint on this device, for an image of its family's own size.
struct ModelFit {
    ModelVerdict verdict = ModelVerdict::Unknown;
    Bytes streamed = 0;  ///< copied in every forward pass
    Bytes needed = 0;    ///< TooBig: with which it would fit; 0: not known

    bool operator==(const ModelFit&) const = default;
};

/// Plans each checkpoint once, on a thread of its own, the newest question first. `runner` must
/// outlive it. GUI thread only.
class ModelPlans : public QObject {
    Q_OBJECT

public:
    explicit ModelPlans(Runner& runner, QObject* parent = nullptr);

    /// Options of plans: all answers depend on device, planned card, budget and low-memory mode.
    void setOptions(const Json& options);
    /// Whether such a model can be planned alone; of parts of a model their weights are judged.
    [[nodiscard]] static bool canPlan(const FoundModel& model);
    /// What was answered before; asks nothing.
    [[nodiscard]] std::optional<ModelFit> known(const FoundModel& model) const;
    /// nullopt: not known yet; answered() follows.
    [[nodiscard]] std::optional<ModelFit> find(const FoundModel& model);
    /// Files are others.
    void forgetAll();

Q_SIGNALS:
    void answered(const std::string& path);

private:
    void askNext();
    void take(const FoundModel& model, int session, const std::optional<ModelFit>& fit);

    Runner& runner_;
    Json options_ = Json::object();
    std::map<std::string, ModelFit> fits_;
    std::deque<FoundModel> waiting_;
    std::set<std::string> asked_;
    bool isAsking_ = false;
    int session_ = 0;  ///< of the options
    QTimer again_;     ///< the module was at work on a run
    Background background_;
};

/// The graph that is planned for a checkpoint.
[[nodiscard]] std::string graphFor(const FoundModel& model);
/// nullopt: the module is at work, ask again.
[[nodiscard]] std::optional<ModelFit> fitFrom(Status status, const std::string& answer);

}  // namespace lowtide::ui
