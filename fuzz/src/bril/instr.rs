//! One instruction or terminator as a JSON object.

use super::write::FunctionJson;
use backedge_core::ir::{Inst, Local, Op, Operand, Place, TerminatorKind, Type};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use smallvec::SmallVec;

/// An instruction, in the order in which its fields are written.
#[derive(Default, serde::Serialize)]
pub(super) struct Instr<'f> {
    op: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dest: Option<&'f str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<TypeJson<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<Seq<&'f str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<Seq<&'f str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    funcs: Option<[&'f str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operands: Option<Seq<OperandJson<'f>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) consts: Option<Vec<(&'f str, i64)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cases: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceJson<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    into: Option<PlaceJson<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<Seq<&'f str>>,
    uses: Seq<&'f str>,
    defs: Seq<&'f str>,
}

impl<'f> Instr<'f> {
    pub(super) fn of(op: &'f str) -> Instr<'f> {
        Instr { op, ..Instr::default() }
    }
}

/// A short list. (`smallvec` itself speaks serde only with a feature that nothing else needs.)
#[derive(Debug)]
pub(super) struct Seq<T>(pub(super) SmallVec<[T; 4]>);

impl<T> Default for Seq<T> {
    fn default() -> Seq<T> {
        Seq(SmallVec::new())
    }
}

impl<T: Serialize> Serialize for Seq<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'f> Seq<&'f str> {
    fn add(&mut self, name: &'f str) {
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum OperandJson<'f> {
    Local(&'f str),
    Const(i64),
}

/// `%p.0.1` as `["p", 0, 1]`.
struct PlaceJson<'f> {
    local: &'f str,
    path: &'f [u32],
}

impl Serialize for PlaceJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(1 + self.path.len()))?;
        list.serialize_element(self.local)?;
        for field in self.path {
            list.serialize_element(field)?;
        }
        list.end()
    }
}

/// `"int"`, `"own"`, `"thunk"`, or `{"own": [parts]}`. The recursion is as deep as the type.
pub(super) struct TypeJson<'f>(pub(super) &'f Type);

impl Serialize for TypeJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Type::Int => serializer.serialize_str("int"),
            Type::Own => serializer.serialize_str("own"),
            Type::Thunk => serializer.serialize_str("thunk"),
            Type::Aggregate(parts) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("own", &parts.iter().map(TypeJson).collect::<Vec<_>>())?;
                map.end()
            }
        }
    }
}

impl<'f> FunctionJson<'f> {
    pub(super) fn assign(&self, json: &mut Instr<'f>, local: Local) {
        json.dest = Some(self.name(local));
        json.ty = Some(TypeJson(&self.function.locals[local].ty));
        json.defs.add(self.name(local));
    }

    pub(super) fn inst(&self, inst: &'f Inst) -> Instr<'f> {
        let mut json = Instr::default();
        self.assign_place(&mut json, inst.dest.as_ref());
        match &inst.op {
            Op::Const(number) => {
                json.op = "const";
                json.value = Some(*number);
            }
            Op::New => json.op = "new",
            Op::Copy(a) => self.operands(&mut json, "copy", &[*a]),
            Op::Select(c, a, b) => self.operands(&mut json, "select", &[*c, *a, *b]),
            Op::Binary(op, a, b) => self.operands(&mut json, op.name(), &[*a, *b]),
            Op::Load(a) => self.operands(&mut json, "load", &[*a]),
            Op::Store { addr, value } => self.operands(&mut json, "store", &[*addr, *value]),
            Op::Call { callee, args } => {
                self.operands(&mut json, "call", args);
                json.funcs = Some([callee]);
            }
            Op::Bind(target) => {
                self.operands(&mut json, "bind", &target.args);
                json.labels = Some(self.labels([target.block]));
            }
            Op::Move(place) => self.place(&mut json, "move", place),
            Op::Drop(place) => self.place(&mut json, "drop", place),
            Op::Destroy(place) => self.place(&mut json, "destroy", place),
            Op::Opaque(opaque) => self.opaque(&mut json, opaque),
        }
        inst.for_each_use(|local| json.uses.add(self.name(local)));
        json
    }

    pub(super) fn terminator(&self, term: &'f TerminatorKind) -> Instr<'f> {
        let mut json = Instr::default();
        match term {
            TerminatorKind::Jump(_) => json.op = "jmp",
            TerminatorKind::Branch { cond, .. } => self.operands(&mut json, "br", &[*cond]),
            TerminatorKind::Switch { value, cases, .. } => {
                self.operands(&mut json, "switch", &[*value]);
                json.cases = Some(cases.iter().map(|(key, _)| *key).collect());
            }
            TerminatorKind::TryCall { dest, callee, args, .. } => {
                self.assign_place(&mut json, dest.as_ref());
                self.operands(&mut json, "try_call", args);
                json.funcs = Some([callee]);
            }
            TerminatorKind::TryDrop { place, .. } => self.place(&mut json, "try_drop", place),
            TerminatorKind::Enter(thunk) => self.operands(&mut json, "enter", &[*thunk]),
            TerminatorKind::Return(Some(value)) => self.operands(&mut json, "ret", &[*value]),
            TerminatorKind::Return(None) => json.op = "ret",
            TerminatorKind::Unreachable => json.op = "unreachable",
            TerminatorKind::Resume => json.op = "resume",
        }
        let targets = term.targets();
        if !targets.is_empty() {
            json.labels = Some(self.labels(targets.iter().map(|target| target.block)));
        }
        term.for_each_use(|local| json.uses.add(self.name(local)));
        json
    }

    fn labels(&self, blocks: impl IntoIterator<Item = backedge_core::ir::Block>) -> Seq<&'f str> {
        Seq(blocks.into_iter().map(|block| self.label(block)).collect())
    }

    fn assign_place(&self, json: &mut Instr<'f>, dest: Option<&'f Place>) {
        match dest {
            Some(dest) if dest.is_whole() => self.assign(json, dest.local),
            Some(dest) => json.into = Some(self.place_json(dest)),
            None => {}
        }
    }

    fn operands(&self, json: &mut Instr<'f>, op: &'f str, operands: &[Operand]) {
        let names = operands.iter().filter_map(|operand| operand.local());
        json.op = op;
        json.args = Some(Seq(names.map(|local| self.name(local)).collect()));
        if operands.iter().any(|operand| operand.local().is_none()) {
            let all = operands.iter().map(|operand| match *operand {
                Operand::Local(local) => OperandJson::Local(self.name(local)),
                Operand::Const(number) => OperandJson::Const(number),
            });
            json.operands = Some(Seq(all.collect()));
        }
    }

    fn place(&self, json: &mut Instr<'f>, op: &'f str, place: &'f Place) {
        self.operands(json, op, &[place.local.into()]);
        json.place = Some(self.place_json(place));
    }

    fn place_json(&self, place: &'f Place) -> PlaceJson<'f> {
        PlaceJson { local: self.name(place.local), path: &place.path }
    }

    fn opaque(&self, json: &mut Instr<'f>, opaque: &'f backedge_core::ir::Opaque) {
        json.op = "opaque";
        json.text = Some(&opaque.text);
        json.args = Some(Seq(opaque.uses.iter().map(|&local| self.name(local)).collect()));
        if let [single] = opaque.defs[..] {
            self.assign(json, single);
        }
        for &local in &opaque.defs {
            json.defs.add(self.name(local));
        }
        if !opaque.partial.is_empty() {
            let partial = opaque.partial.iter().map(|&local| self.name(local));
            json.partial = Some(Seq(partial.collect()));
        }
    }
}
